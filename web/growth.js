/* Evaluates the curves that `aprof html` has fitted; growth.h has the mathematics.
 * SPDX-License-Identifier: BSD-2-Clause
 */
'use strict';

const CLASS_FUNCTIONS = {
    '1': () => 1,
    'log n': (n) => Math.log2(Math.max(n, 1)),
    'sqrt n': (n) => Math.sqrt(n),
    'n': (n) => n,
    'n log n': (n) => n * Math.log2(Math.max(n, 1)),
    'n^1.5': (n) => n * Math.sqrt(n),
    'n^2': (n) => n * n,
    'n^2 log n': (n) => n * n * Math.log2(Math.max(n, 1)),
    'n^3': (n) => n * n * n,
    '2^n': (n) => 2 ** n,
};

/* A claimed curve: the classes of its terms, and a + b f(n) + c g(n). */
function claimValue([f, g, a, b, c], n)
{
    const growing = (number) => CLASS_FUNCTIONS[data.classes[number]](n);
    return Math.max(a + b * growing(f) + (c === 0 ? 0 : c * growing(g)), 0);
}

/* fit.name is 'n^c' for the power law. */
function fitValue(fit, n)
{
    const growing = CLASS_FUNCTIONS[fit.name] || ((size) => size ** fit.exponent);
    const value = fit.name === '1' ? fit.a : fit.a + fit.b * growing(n);
    return Math.max(value, 0);
}
