# Loads the hook that reports subroutines of Perl scripts; `aprof run` sets PERL5OPT to load this module.
# SPDX-License-Identifier: BSD-2-Clause
package Aprof;

use strict;

our $description;

# Stores line, file and name of the subroutine at an address.
sub describe {
    my ($address) = @_;
    local ($@, $!);
    my ($line, $file, $name) = (0, '', 'unknown');
    eval {
        local $SIG{__DIE__};
        require B;
        my $code = bless \$address, 'B::CV';
        $file = $code->FILE;
        my $first = $code->START;
        $line = $first->line if $first->can('line');
        my $glob = $code->GV;
        $name = $glob->STASH->NAME . '::' . $glob->NAME if $glob->can('STASH');
        $name =~ s/^main:://;
        $name =~ s/__ANON__$/(anonymous):$line/;
    };
    $description = "$line $file\n$name";
}

# The hook knows the layout of data in Perl 5.24 and later, with support for threads.
sub start {
    require Config;
    return warn "aprof: run: this Perl cannot report functions of scripts\n"
        if $] < 5.024 || !$Config::Config{usemultiplicity};
    require DynaLoader;
    DynaLoader::dl_load_file(__FILE__ =~ s/Aprof\.pm$/_aprof.so/r, 0)
        or warn 'aprof: run: ' . DynaLoader::dl_error() . "\n";
}

start();

1;
