// The functions of bias.py, in JavaScript.
// SPDX-License-Identifier: BSD-2-Clause
function total(a) {
    let s = 0;
    for (let i = 0; i < a.length; i++)
        s ^= a[i];
    return s;
}
function largest(a) {
    let most = a[0];
    for (let i = 0; i < a.length; i++)
        if (a[i] > most)
            most = a[i];
    return most;
}
function equal(a, b) {
    for (let i = 0; i < a.length; i++)
        if (a[i] !== b[i])
            return false;
    return true;
}
function insert(a, price) {
    let at = 0;
    while (at < a.length && a[at] < price)
        at++;
    a.splice(at, 0, price);
}
function backwards(a) {
    const b = [];
    for (let i = 0; i < a.length; i++)
        b.push(a[i]);
    return b.reverse();
}
function pairs(a) {
    let found = 0;
    for (let i = 0; i < a.length; i++)
        for (let j = 0; j < a.length; j++)
            found |= a[i] < a[j];
    return found;
}
function triples(a) {
    let found = 0;
    for (let i = 0; i < a.length; i++)
        for (let j = 0; j < a.length; j++)
            for (let k = 0; k < a.length; k++)
                found |= a[i] < a[k];
    return found;
}
function memo(a) {
    let s = 0;
    for (let i = 0; i < a.length; i++)
        for (let j = i; j > 0; j &= j - 1)
            s ^= a[j];
    return s;
}
function search(a, price) {
    let low = 0, high = a.length;
    while (low < high) {
        const middle = (low + high) >> 1;
        if (a[middle] < price)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
function lookup(index, price) {
    return index.get(price);
}
const numbers = [], others = [], index = new Map();
for (let i = 0; i < 400; i++) {
    numbers.push(i);
    others.push(i);
    index.set(i, i);
}
const sizes = [50, 50];
for (let n = 50; n <= 400; n += 50)
    sizes.push(n);
for (const n of sizes) {
    const a = numbers.slice(0, n), b = others.slice(0, n);
    total(a);
    largest(a);
    equal(a, b);
    insert(numbers.slice(0, n), 500);
    backwards(a);
    pairs(a);
    triples(numbers.slice(0, n / 5));
    memo(a);
    search(a, 500);
    lookup(index, n - 1);
}
