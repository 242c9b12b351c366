#!/bin/sh
# Functions of Lua, Perl and Ruby are routines, on calls of every kind and on errors. Growth: script_growth.sh.
# SPDX-License-Identifier: GPL-2.0-or-later
. "${0%/*}/../lib.sh"
require amd64
export APROF_VALGRIND_LIB="$build/.in_place"

# callers_of FUNCTION: prints "caller calls;" for each caller of this function of the script.
callers_of()
{
    awk -F'\t' -v function_name="$1" '
        $1 == "object" && $3 == "[JIT]" { jit = $2 }
        $1 == "routine" { name[$2] = $6; is_script[$2] = $3 == jit }
        $1 == "edge" && is_script[$3] && name[$3] == function_name { calls[is_script[$2] ? name[$2] : "-"] += $7 }
        END { for (n in calls) print n, calls[n] }' report | sort | tr '\n' ';'
}

# called FUNCTION WANTED
called()
{
    same "$(callers_of "$1")" "$2" "callers of $1"
}

profile_script()
{
    run 0 timeout 300 aprof run -q --vgdb=no -o report -- "$@"
    expect_no_message
    ! grep -q '_aprof\.' report || fail 'the hook is in the report'
}

if command -v lua5.4 >/dev/null; then
    begin 'Lua: errors, coroutines, tail calls, calls from C'
    cat >inside.c <<'SOURCE'
struct lua_State;
extern void lua_callk(struct lua_State *, int, int, long, void *);
extern void lua_pushvalue(struct lua_State *, int);
extern void lua_pushcclosure(struct lua_State *, int (*)(struct lua_State *), int);
static int call(struct lua_State *L)
{
    lua_pushvalue(L, 1);
    lua_callk(L, 0, 0, 0, 0);
    return 0;
}
int luaopen_inside(struct lua_State *L)
{
    lua_pushcclosure(L, call, 0);
    return 1;
}
SOURCE
    $CC -O1 -shared -fPIC -o inside.so inside.c
    cat >shapes.lua <<'SCRIPT'
package.cpath = "./?.so"
local inside = require "inside"
local function leaf() return 1 end
local function fail(n)
    if n > 0 then
        local x = fail(n - 1)
        return x
    end
    error("stop")
end
local function called(f)
    pcall(f, 4)
    return leaf() + 0
end
for _ = 1, 3 do called(fail) end

local function count(n)
    for i = 1, n do coroutine.yield(i) end
end
local sum = 0
for i in coroutine.wrap(function() count(10) end) do sum = sum + i end
assert(sum == 55)

local odd
local function even(n)
    if n == 0 then return true end
    return odd(n - 1)
end
odd = function(n)
    if n == 0 then return false end
    return even(n - 1)
end
even(100)

local Book = {}
Book.__index = Book
function Book:insert() return leaf() + 1 end
local book = setmetatable({}, Book)
for _ = 1, 7 do book:insert() end

local function inner() error("stop") end
local function middle()
    inside(inner)
    return 0
end
local function outer()
    pcall(middle)
    return leaf() + 1
end
for _ = 1, 5 do outer() end
string.gsub("abcd", ".", function(c) return c:upper() end)
SCRIPT
    profile_script lua5.4 shapes.lua
    measured report 'routine=(anonymous):51 object=[JIT] file=shapes.lua calls=4'
    called fail 'called 3;fail 12;'
    called leaf 'Book:insert 7;called 3;outer 5;'
    # Each step of the coroutine, and its end.
    called count '(anonymous):21 11;'
    called even 'main chunk 1;'
    called odd 'even 50;'
    called middle 'outer 5;'
    called outer 'main chunk 5;'
else
    echo 'left out: no lua5.4'
fi

begin 'Perl: die, goto, last, closures, AUTOLOAD'
cat >shapes.pl <<'SCRIPT'
use strict;
use warnings;
use Encode;

package Book {
    our $AUTOLOAD;
    sub new { bless {}, shift }
    sub insert { main::leaf() + 1 }
    sub AUTOLOAD {
        my $name = $AUTOLOAD;
        no strict 'refs';
        *$name = sub { 5 };
        goto &$name;
    }
}
sub leaf { 1 }
sub fail {
    my ($n) = @_;
    if ($n) { fail($n - 1); leaf() }
    die "stop\n";
}
sub called {
    my ($f) = @_;
    eval { $f->(4) };
    leaf();
}
called(\&fail) for 1 .. 3;
sub hop { goto &leaf }
hop() for 1 .. 4;
my $book = Book->new;
$book->insert for 1 .. 7;
$book->title for 1 .. 2;
sub early { for (1 .. 10) { return $_ if $_ == 3 } }
early() for 1 .. 6;
sub leave { no warnings; last }
for (1 .. 5) { leave() }
sub make { my ($n) = @_; return sub { $n } }
make($_)->() for 1 .. 8;

# Encode, which is in C, calls a function that dies.
sub inner { die "stop\n" }
sub middle { Encode::decode('ascii', "a\xff", sub { inner() }) }
sub outer { eval { middle() }; leaf() }
outer() for 1 .. 5;
SCRIPT
profile_script perl shapes.pl
measured report 'routine=fail object=[JIT] file=shapes.pl calls=15' 'routine=Book::insert object=[JIT] calls=7'
measured report 'routine=(anonymous):37 object=[JIT] calls=8'
called fail 'called 3;fail 12;'
called leaf '- 4;Book::insert 7;called 3;outer 5;'
# Also for DESTROY.
called Book::AUTOLOAD '- 2;'
called early '- 6;'
called leave '- 1;'
called middle 'outer 5;'
called outer '- 5;'

if command -v ruby >/dev/null; then
    begin 'Ruby: exceptions, throw, break, fibers, threads'
    cat >shapes.rb <<'SCRIPT'
def leaf
  1
end

def fail_at(n)
  fail_at(n - 1) if n > 0
  raise ArgumentError
end

def called
  fail_at(4)
rescue ArgumentError
  leaf
end

def thrown
  throw :done
end

def catcher
  catch(:done) { thrown }
  leaf
end

def each_of(n)
  n.times { |i| yield i }
end

def broken
  each_of(5) { |i| break if i == 2 }
  leaf
end

def count(n)
  n.times { |i| Fiber.yield i }
end

class Book
  def self.create
    new
  end

  def insert
    1
  end
end

3.times { called }
2.times { catcher }
4.times { broken }
book = Book.create
7.times { book.insert }
fiber = Fiber.new { count(5) }
6.times { fiber.resume }
(1..2).map { Thread.new { 3.times { leaf } } }.each(&:join)
SCRIPT
    profile_script ruby --disable=gems shapes.rb
    measured report 'routine=fail_at object=[JIT] file=shapes.rb calls=15' \
        'routine=Book#insert object=[JIT] calls=7' 'routine=Book.create object=[JIT] calls=1'
    called fail_at 'called 3;fail_at 12;'
    called leaf '- 6;broken 4;called 3;catcher 2;'
    called thrown 'catcher 2;'
    called each_of 'broken 4;'
    called count '- 1;'
else
    echo 'left out: no ruby'
fi

begin 'the message names the variable'
echo 'sub f { 1 } f();' >once.pl
run 0 aprof run --vgdb=no -o report -- perl once.pl
expect_message 'aprof: run: sets PERL5OPT so that script functions have names; to avoid this, add --no-runtime-support'
called f '- 1;'

begin 'scripts run without hooks that cannot be loaded'
mkdir bare
find "$build/.in_place/" -mindepth 1 -maxdepth 1 ! -name lua ! -name perl ! -name ruby -exec ln -s {} bare/ \;
mkdir bare/lua bare/perl bare/ruby
cp "$source/aprof/hooks/Aprof.pm" bare/perl/
cp "$source/aprof/hooks/aprof_hook.rb" bare/ruby/
for script in 'lua5.4|io.write(1)' 'perl|print 1' 'ruby|print 1'; do
    command -v "${script%%|*}" >/dev/null || continue
    APROF_VALGRIND_LIB=$PWD/bare run 0 aprof run -q --vgdb=no -o report -- "${script%%|*}" -e "${script#*|}"
    same "$(cat out)" 1 "output of ${script%%|*}"
    expect_message 'aprof: run: '
done

begin 'scripts that are not profiled are left alone'
PERL5OPT="-I$build/.in_place/perl -MAprof" run 0 perl -e 'print 1'
same "$(cat out)" 1 'output'
expect_no_message
finish
