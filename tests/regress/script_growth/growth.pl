# The functions of growth.py, in Perl. A name has 400 cells.
# SPDX-License-Identifier: GPL-2.0-or-later
use strict;
use warnings;

sub insert {
    my ($book, $name) = @_;
    my $at = 0;
    $at++ while $at < @$book && $book->[$at] lt $name;
    splice @$book, $at, 0, $name;
}

sub pairs {
    my ($names) = @_;
    my $before = 0;
    for my $a (@$names) {
        for my $b (@$names) {
            $before++ if $a lt $b;
        }
    }
    return $before;
}

sub lookup {
    my ($index, $name) = @_;
    return $index->{$name};
}

sub memo {
    my ($table) = @_;
    my $longest = '';
    for my $first (@$table) {
        my ($text, $node) = ('', $first);
        while ($node) {
            $text = $node->{name} if $node->{name} gt $text;
            $node = $node->{next};
        }
        $longest = $text if $text gt $longest;
    }
    return $longest;
}

my ($size) = @ARGV;
my @names = map { sprintf '%01600d', $_ } 0 .. $size - 1;
my (@table, @book, %index);
for my $i (1 .. 5 * $size - 1) {
    $table[$i] = {name => "$i", next => $table[$i & ($i - 1)]};
}
for my $name (@names) {
    insert(\@book, $name);
    $index{$name} = $name;
}
lookup(\%index, $_) for @names;
pairs([@names[0 .. $size * $_ / 40 - 1]]) for 1 .. 40;
memo([@table[0 .. 5 * $size * $_ / 40 - 1]]) for 1 .. 40;
print scalar(@book), "\n";
