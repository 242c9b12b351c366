// The functions of growth.py, in JavaScript.
// SPDX-License-Identifier: GPL-2.0-or-later
function insert(book, name) {
    let at = 0;
    while (at < book.length && book[at] < name)
        at++;
    book.splice(at, 0, name);
}
function pairs(names) {
    let before = 0;
    for (let i = 0; i < names.length; i++)
        for (let j = 0; j < names.length; j++)
            if (names[i] < names[j])
                before++;
    return before;
}
function lookup(index, name) {
    return index.get(name);
}
function memo(table) {
    let total = 0;
    for (let i = 0; i < table.length; i++)
        for (let j = i; j > 0; j &= j - 1)
            total ^= table[j].price;
    return total;
}
const size = Number(process.argv[2]);
const names = [], book = [], table = [], index = new Map();
for (let i = 0; i < size; i++)
    names.push(Buffer.from(String(i).padStart(400, '0')).toString('latin1'));
for (let i = 0; i < 10 * size; i++)
    table.push({price: i});
for (const name of names.slice(0, size)) {
    insert(book, name);
    index.set(name, book.length);
}
for (const name of names.slice(0, size))
    lookup(index, name);
for (let i = 1; i <= 40; i++)
    pairs(names.slice(0, size * i / 40));
for (let i = 1; i <= 40; i++)
    memo(table.slice(0, 10 * size * i / 40));
console.log(book.length);
