// Puts the sources of each page and uPlot into one HTML template, as an array for the C compiler.
// SPDX-License-Identifier: GPL-2.0-or-later
//
// Usage: node bundle.mjs SOURCES NODE_MODULES PAGE_TEMPLATE.C
import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';

const PAGES = [
    {name: 'page', html: 'page.html', styles: ['style.css'], scripts: ['data.js', 'growth.js', 'state.js', 'text.js', 'columns.js', 'thumbnail.js', 'table.js', 'plot.js', 'flame.js', 'where.js', 'calls.js', 'source.js', 'changes.js', 'scale.js', 'detail.js', 'main.js']},
    {name: 'serve', html: 'serve.html', styles: ['style.css', 'serve.css'], scripts: ['text.js', 'serve.js'], isPlain: true},
    {name: 'history', html: 'history.html', styles: ['style.css', 'history.css'], scripts: ['text.js', 'plot.js', 'history.js']},
];
const BYTES_PER_LINE = 24;

const [sources, modules, output] = process.argv.slice(2);
const read = (...path) => readFileSync(join(...path), 'utf8');

// The scripts share one scope, which no other code uses. A plain page has no plots.
function scripts(names, isPlain)
{
    const own = names.map((name) => read(sources, name).replace("'use strict';\n", '')).join('\n');
    const wrapped = `<script>\n(() => {\n'use strict';\n${own}})();\n</script>`;
    if (isPlain)
        return wrapped;
    const licence = read(modules, 'uplot', 'LICENSE').trim();
    const library = read(modules, 'uplot', 'dist', 'uPlot.iife.min.js');
    return `<script>\n/* uPlot:\n${licence}\n*/\n${library}</script>\n${wrapped}`;
}

function styles(names, isPlain)
{
    return `<style>\n${isPlain ? '' : read(modules, 'uplot', 'dist', 'uPlot.min.css')}${names.map((name) => read(sources, name)).join('')}</style>`;
}

function place(page, mark, text)
{
    if (page.split(mark).length !== 2)
        throw new Error(`a page must have '${mark}' once`);
    return page.split(mark).join(text);
}

function asArray(bytes)
{
    const lines = [];
    for (let at = 0; at < bytes.length; at += BYTES_PER_LINE)
        lines.push(`    ${[...bytes.subarray(at, at + BYTES_PER_LINE)].map((byte) => byte > 127 ? byte - 256 : byte).join(',')},`);
    return lines.join('\n');
}

function bundle({html, styles: styleNames, scripts: scriptNames, isPlain})
{
    const page = place(place(read(sources, html), '<!-- styles -->', styles(styleNames, isPlain)), '<!-- scripts -->', scripts(scriptNames, isPlain));
    place(page, '<!-- data -->', '');
    return Buffer.from(page);
}

const arrays = PAGES.map((page) => `const char ${page.name}_template[] = {\n${asArray(bundle(page))}\n    0};\n`);
writeFileSync(output, `/* Made by bundle.mjs. */
#include "lib/base/page_template.h"

${arrays.join('')}const size_t page_template_bytes = sizeof page_template - 1;
`);
