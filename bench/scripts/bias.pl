# The functions of bias.py, in Perl.
# SPDX-License-Identifier: BSD-2-Clause
use strict;
use warnings;

sub total {
    my ($list) = @_;
    my $s = 0;
    $s ^= $_ for @$list;
    return $s;
}

sub largest {
    my ($list) = @_;
    my $most = $list->[0];
    for (@$list) { $most = $_ if $_ > $most }
    return $most;
}

sub equal {
    my ($one, $two) = @_;
    for my $i (0 .. $#$one) {
        return 0 if $one->[$i] != $two->[$i];
    }
    return 1;
}

sub insert {
    my ($list, $price) = @_;
    my $at = 0;
    $at++ while $at < @$list && $list->[$at] < $price;
    splice @$list, $at, 0, $price;
}

sub backwards {
    my ($list) = @_;
    my @reverse;
    push @reverse, $list->[-$_] for 1 .. @$list;
    return \@reverse;
}

sub pairs {
    my ($list) = @_;
    my $found = 0;
    for my $x (@$list) {
        for my $y (@$list) { $found++ if $x < $y }
    }
    return $found;
}

sub triples {
    my ($list) = @_;
    my $found = 0;
    for my $x (@$list) {
        for my $y (@$list) {
            for my $z (@$list) { $found++ if $x < $z }
        }
    }
    return $found;
}

sub memo {
    my ($list) = @_;
    my $s = 0;
    for my $i (0 .. $#$list) {
        for (my $j = $i; $j > 0; $j &= $j - 1) { $s ^= $list->[$j] }
    }
    return $s;
}

sub search {
    my ($list, $price) = @_;
    my ($low, $high) = (0, scalar @$list);
    while ($low < $high) {
        my $middle = $low + $high >> 1;
        if ($list->[$middle] < $price) { $low = $middle + 1 } else { $high = $middle }
    }
    return $low;
}

sub lookup {
    my ($index, $price) = @_;
    return $index->{$price};
}

my @numbers = (1 .. 400);
my @others = (1 .. 400);
my %index = map { ("n$_" => $_) } @numbers;
for my $n (50, map { 50 * $_ } 1 .. 8) {
    my @a = @numbers[0 .. $n - 1];
    my @b = @others[0 .. $n - 1];
    total(\@a);
    largest(\@a);
    equal(\@a, \@b);
    insert([@a], 500);
    backwards(\@a);
    pairs(\@a);
    triples([@a[0 .. $n / 5 - 1]]);
    memo(\@a);
    search(\@a, 500);
    lookup(\%index, "n$n");
}
