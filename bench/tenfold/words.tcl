# Tenfold program: makes N words, counts them in an array, sorts and joins them.
# SPDX-License-Identifier: BSD-2-Clause
# Usage: tclsh words.tcl N
set n [lindex $argv 0]
set state 7
for {set i 0} {$i < $n} {incr i} {
    set state [expr {($state * 1103515245 + 12345) % 2147483648}]
    set word [format w%x [expr {$state / 65536 % 5000}]]
    lappend list $word
    incr count($word)
}
set text [join [lsort $list] " "]
set sum 0
foreach {all letter} [regexp -all -inline {w([0-9a-f])} $text] {
    incr sum [scan $letter %x]
}
puts "[array size count] [string length $text] $sum"
