<?php
// Counts, sorts and joins words that depend on the argument alone, for tenfold.sh.
// SPDX-License-Identifier: GPL-2.0-or-later
$size = (int)$argv[1];
$count = [];
$text = '';
for ($i = 0; $i < $size; $i++) {
    $word = 'w' . ($i * 7919 % 9973) . chr(97 + $i % 26);
    $count[$word] = ($count[$word] ?? 0) + strlen($word);
    $text .= $word . ($i % 8 ? ' ' : "\n");
}
asort($count);
$lines = explode("\n", $text);
usort($lines, fn($a, $b) => strcmp(strrev($a), strrev($b)));
$capitals = preg_replace_callback('/w(\d+)([a-m])/', fn($m) => strtoupper($m[2]) . $m[1], $text);
echo count($count), ' ', strlen($capitals), ' ', md5(implode('', $lines)), "\n";
