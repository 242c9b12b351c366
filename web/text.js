/* Formats numbers, and makes elements of the page.
 * SPDX-License-Identifier: BSD-2-Clause
 */
'use strict';

const UNITS = ['', 'k', 'M', 'G', 'T', 'P', 'E'];
const wholeFormat = new Intl.NumberFormat('en', {maximumFractionDigits: 1});

/* A number as three digits and a unit: 12.3k. */
function shortNumber(value)
{
    let unit = 0, rest = Math.abs(value);
    while (rest >= 999.5 && unit < UNITS.length - 1) {
        rest /= 1000;
        unit++;
    }
    if (rest >= 999.5)
        return value.toExponential(1);
    const digits = rest >= 99.5 || unit === 0 && Number.isInteger(rest) ? 0 : rest >= 9.95 ? 1 : 2;
    const text = rest > 0 && rest < 0.01 ? value.toExponential(1) : (Math.sign(value) * rest).toFixed(digits);
    return (text.includes('.') && !text.includes('e') ? text.replace(/\.?0+$/, '') : text) + UNITS[unit];
}

function fullNumber(value)
{
    return value < 1e18 ? wholeFormat.format(value) : value.toExponential(4);
}

function sharePercent(value)
{
    if (value > 0 && value < 0.05)
        return '<0.1';
    return value.toFixed(1);
}

/* Makes an element with attributes and children; a text child is never parsed as HTML. */
function make(tag, attributes = {}, ...children)
{
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
        if (name.startsWith('on'))
            element.addEventListener(name.slice(2), value);
        else if (value !== null && value !== false)
            element.setAttribute(name, value === true ? '' : value);
    }
    element.append(...children.filter((child) => child !== null));
    return element;
}

/* Makes a table of the first entries, with a button for the other entries. */
function listTable(kind, head, entries, most, rowOf)
{
    const body = make('tbody', {}, ...entries.slice(0, most).map(rowOf));
    const more = entries.length - most;
    const button = more > 0 ? make('button', {type: 'button', onclick: () => {
        body.replaceChildren(...entries.map(rowOf));
        button.remove();
    }}, `${more} more`) : null;
    return make('div', {class: `scroll ${kind}`}, make('table', {class: 'list'}, head, body), button);
}

function headCells(heads)
{
    return make('thead', {}, make('tr', {}, ...heads.map(([head, meaning, kind]) => make('th', {scope: 'col', class: kind, title: meaning}, head))));
}

function find(id)
{
    return document.getElementById(id);
}
