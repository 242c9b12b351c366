# Converts the contents of a terminal, as `tmux capture-pane -e` prints them, to HTML.
# SPDX-License-Identifier: GPL-2.0-or-later
#
#     tmux capture-pane -e -p | awk -f screen.awk
#
# `ESC [ 1 ; 31 m red ESC [ 0 m` becomes <span style="color:#ff7b72;font-weight:bold"> red </span>. A background ends at
# the last character, as in the output of tmux.
BEGIN {
    split("#1b1f24 #ff7b72 #7ee787 #e3b341 #79c0ff #d2a8ff #76e3ea #d8dee4 " \
          "#848d97 #ffa198 #aff5b4 #f2cc60 #a5d6ff #e2c5ff #b3f0ff #ffffff", sixteen)
}

# The colours after the first sixteen: a cube of 6 x 6 x 6, then 24 greys.
function level(n) { return n ? 55 + 40 * n : 0 }
function colour(n)
{
    if (n < 16)
        return sixteen[n + 1]
    if (n < 232)
        return sprintf("#%02x%02x%02x", level(int((n - 16) / 36)), level(int((n - 16) / 6) % 6), level((n - 16) % 6))
    return sprintf("#%02x%02x%02x", 8 + 10 * (n - 232), 8 + 10 * (n - 232), 8 + 10 * (n - 232))
}

function apply(codes,   n, i, code, c)
{
    n = split(codes == "" ? "0" : codes, code, ";")
    for (i = 1; i <= n; i++) {
        c = code[i] + 0
        if (c == 0)
            front = back = weight = reversed = ""
        else if (c == 1)
            weight = ";font-weight:bold"
        else if (c == 7)
            reversed = 1
        else if (c == 27)
            reversed = ""
        else if ((c == 38 || c == 48) && code[i + 1] == 5) {
            if (c == 38) front = colour(code[i + 2]); else back = colour(code[i + 2])
            i += 2
        } else if ((c == 38 || c == 48) && code[i + 1] == 2) {
            code[0] = sprintf("#%02x%02x%02x", code[i + 2], code[i + 3], code[i + 4])
            if (c == 38) front = code[0]; else back = code[0]
            i += 4
        } else if (c >= 30 && c < 38)
            front = colour(c - 30)
        else if (c >= 90 && c < 98)
            front = colour(c - 82)
        else if (c >= 40 && c < 48)
            back = colour(c - 40)
        else if (c >= 100 && c < 108)
            back = colour(c - 92)
        else if (c == 39)
            front = ""
        else if (c == 49)
            back = ""
    }
}

function style(   f, b)
{
    f = front ? front : "#d8dee4"
    b = back ? back : "#1b1f24"
    return reversed ? "color:" b ";background:" f weight : "color:" f ";background:" b weight
}

{
    gsub(/&/, "\\&amp;")
    gsub(/</, "\\&lt;")
    n = split($0, part, /\033\[/)
    line = part[1] == "" ? "" : "<span style=\"" style() "\">" part[1] "</span>"
    for (i = 2; i <= n; i++) {
        end = index(part[i], "m")
        apply(substr(part[i], 1, end - 1))
        text = substr(part[i], end + 1)
        if (text != "")
            line = line "<span style=\"" style() "\">" text "</span>"
    }
    print line
}
