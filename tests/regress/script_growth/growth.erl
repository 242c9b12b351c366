%% The functions of growth.py, in Erlang.
%% SPDX-License-Identifier: GPL-2.0-or-later
-module(growth).
-export([main/1]).

insert(Price, [H | T]) when H < Price -> [H | insert(Price, T)];
insert(Price, Book) -> [Price | Book].

pairs(Prices) -> pairs(Prices, Prices, 0).
pairs([A | T], Prices, Before) -> pairs(T, Prices, before(A, Prices, Before));
pairs([], _, Before) -> Before.
before(A, [B | T], Before) when A < B -> before(A, T, Before + 1);
before(A, [_ | T], Before) -> before(A, T, Before);
before(_, [], Before) -> Before.

lookup(Price, Index) -> maps:get(Price, Index).

memo(Table) -> memo(Table, 0).
memo([Node | T], Largest) -> memo(T, largest(Node, Largest));
memo([], Largest) -> Largest.
largest({Price, Node}, Largest) when Price > Largest -> largest(Node, Price);
largest({_, Node}, Largest) -> largest(Node, Largest);
largest([], Largest) -> Largest.

table(N, N, Nodes) -> [maps:get(At, Nodes) || At <- lists:seq(0, N - 1)];
table(I, N, Nodes) -> table(I + 1, N, Nodes#{I => {I, maps:get(I band (I - 1), Nodes)}}).

%% Each call has all of its reductions before it, and room on the heap: nothing interrupts it.
fresh(Function) -> garbage_collect(), erlang:yield(), Function().

main([Argument]) ->
    Size = list_to_integer(Argument),
    Prices = lists:seq(1, Size),
    Table = table(1, 10 * Size, #{0 => []}),
    Index = maps:from_list([{Price, Price} || Price <- Prices]),
    Book = lists:foldl(fun(Price, Book) -> fresh(fun() -> insert(Price, Book) end) end, [], Prices),
    [fresh(fun() -> lookup(Price, Index) end) || Price <- Prices],
    [fresh(fun() -> pairs(lists:sublist(Prices, Size * I div 80)) end) || I <- lists:seq(1, 40)],
    [fresh(fun() -> memo(lists:sublist(Table, 10 * Size * I div 40)) end) || I <- lists:seq(1, 40)],
    io:format("~p~n", [length(Book)]),
    halt().
