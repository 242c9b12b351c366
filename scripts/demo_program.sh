# Sourced by demo.sh and screens.sh: the program that they profile.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Usage: . scripts/demo_program.sh; demo_program FOLDER
#
# Leaves FOLDER/underscores.sh, for bash, which replaces the blanks of each line that it reads,
# FOLDER/lines.txt, lines of growing length for the script, and FOLDER/line.N, one line of N letters (2000, 4000, 8000).
# shellcheck shell=sh

demo_program() {
    awk 'BEGIN {
        for (letters = 20; letters < 8000; letters *= 1.25) {
            for (i = 0; i < letters; i += 8)
                printf "word%03d ", i % 1000
            print ""
        }
    }' >"$1/lines.txt"
    for letters in 2000 4000 8000; do
        awk -v letters="$letters" 'BEGIN {
            for (i = 0; i < letters; i += 8)
                printf "word%03d ", i % 1000
            print ""
        }' >"$1/line.$letters"
    done
    cat >"$1/underscores.sh" <<'END'
while IFS= read -r line; do
    printf '%s\n' "${line// /_}"
done
END
}
