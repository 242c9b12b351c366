# Benchmark program for the Perl interpreter: counts the words of a text, prints the commonest.
# SPDX-License-Identifier: BSD-2-Clause
# Usage: perl words.pl FILE     prints ten lines `COUNT WORD`, commonest first, then the number of pairs
use strict;
use warnings;

my (%count, %pairs);
while (my $line = <>) {
    my $before = '';
    for my $word ($line =~ /([a-z]+)/g) {
        $count{$word}++;
        $pairs{"$before $word"}++ if length $word > 3;
        $before = $word;
    }
}
my @order = sort { $count{$b} <=> $count{$a} || $a cmp $b } keys %count;
print "$count{$_} $_\n" for @order[0 .. 9];
print scalar(keys %pairs), "\n";
