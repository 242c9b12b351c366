/* Shows the code of a routine: inlined functions, expensive lines, and the source with costs.
 * SPDX-License-Identifier: BSD-2-Clause
 */
'use strict';

const LINES_SHOWN = 12, LINES_AROUND = 3, SOURCE_LINES_MOST = 3000;
const INLINED_SHARE_LEAST = 1, FILE_SHARE_LEAST = 1; /* percent of the routine's self cost */

const sourceLines = new Map(); /* path -> lines of an embedded file */

function sourceOf(path)
{
    if (!Object.hasOwn(data.sources, path))
        return null;
    if (!sourceLines.has(path))
        sourceLines.set(path, data.sources[path].split('\n'));
    return sourceLines.get(path);
}

function shareCell(tag, share)
{
    return make(tag, {class: 'number share', style: `--share: ${Math.min(share, 100)}%`}, `${sharePercent(share)} %`);
}

/* ---------------------------------------------------------------- Inlined functions */

function inlinedItems(nodes, self)
{
    return nodes.filter((node) => percent(node.cost, self) >= INLINED_SHARE_LEAST).map((node) => {
        const inner = inlinedItems(node.inner, self);
        return make('li', {}, shareCell('span', percent(node.cost, self)), ' ', make('b', {}, node.name),
                    make('small', {}, ` called at ${placeWords(node.place)}`), inner.length > 0 ? make('ul', {}, ...inner) : null);
    });
}

function inlinedList(row)
{
    const items = inlinedItems(inlinedTree(row), routineSums(row).self);
    if (items.length === 0)
        return null;
    return make('div', {class: 'inlined'}, make('h3', {}, 'Inlined here'), make('ul', {}, ...items),
                make('p', {class: 'quiet'}, 'Shares of the routine’s self cost. An inlined function has no calls and no input sizes. To measure its growth, compile it with -fno-inline, or use aprof-cc --aprof-inline=see.'));
}

/* ---------------------------------------------------------------- Lines */

function inlinedWords(report, inlined)
{
    return inlinedChain(report, inlined).map((at) => inlinedName(report, at)).join(' < ');
}

/* Joins equal calls from one line, however they are inlined: "Book::find ×4". */
function callsWords(calls, whole)
{
    const merged = new Map();
    for (const call of calls) {
        const known = merged.get(call.routine);
        merged.set(call.routine, {...call, calls: call.calls + (known ? known.calls : 0), cost: call.cost + (known ? known.cost : 0)});
    }
    return [...merged.values()].sort((l, r) => r.cost - l.cost).map((call) => make('span', {class: 'call'},
        '→ ', routineLink(call.row, call.row ? call.row.name : '???'),
        make('small', {}, ` ${fullNumber(call.calls)}×, ${sharePercent(percent(call.cost, whole))} %`)));
}

/* Inlined library code that the line's cost includes. */
function libraryWords(line, self)
{
    return [...line.library].sort((l, r) => r[1] - l[1]).map(([name, cost]) =>
        make('span', {class: 'call'}, `= inlined ${name}`, make('small', {}, ` ${sharePercent(percent(cost, self))} %`)));
}

function linesTable(row, lines, calls)
{
    const report = data.reports[row.report];
    const {self, total} = routineSums(row);
    const rowOf = (line) => {
        const text = sourceOf(line.file);
        const here = calls.filter((call) => call.file === line.file && call.line === line.line && call.inlined === line.inlined);
        return make('tr', {}, shareCell('td', percent(line.cost, self)),
                    make('td', {class: 'number spare', title: fullNumber(line.cost)}, shortNumber(line.cost)),
                    make('td', {class: 'place', title: line.file}, placeWords(line)),
                    make('td', {}, text ? make('code', {}, (text[line.line - 1] || '').trim()) : null,
                         line.inlined ? make('small', {}, ` in ${inlinedWords(report, line.inlined)}`) : null,
                         ...libraryWords(line, self), ...callsWords(here, total)));
    };
    const heads = [['of its own', 'Share of the cost of the routine’s own code', 'number'], ['cost', 'Self cost of this line', 'number spare'],
                   ['line', 'File and line; inlined library code counts for the line that uses it', ''], ['source', 'Source text if it was embedded, inlined functions, and calls with their share of the routine’s total cost', '']];
    return listTable('lines', headCells(heads), lines, LINES_SHOWN, rowOf);
}

/* ---------------------------------------------------------------- Source */

/* The numbers of the shown lines: lines with a cost, and some lines around them. */
function linesInSight(wanted, last)
{
    const shown = new Set();
    for (const line of wanted) {
        for (let near = Math.max(1, line - LINES_AROUND); near <= Math.min(last, line + LINES_AROUND); near++)
            shown.add(near);
    }
    return [...shown].sort((l, r) => l - r).slice(0, SOURCE_LINES_MOST);
}

function listing(text, shown, costs, calls, whole, callsWhole)
{
    const rows = [];
    let before = 0;
    for (const line of shown) {
        if (line > before + 1)
            rows.push(make('tr', {class: 'gap'}, make('td', {colspan: 3}, '⋯')));
        before = line;
        const cost = costs.get(line);
        const here = calls.filter((call) => call.line === line);
        rows.push(make('tr', {}, make('td', {class: 'number'}, String(line)),
                       cost === undefined ? make('td', {}) : shareCell('td', percent(cost, whole)),
                       make('td', {}, make('code', {}, text[line - 1] || ''), ...callsWords(here, callsWhole))));
    }
    return make('div', {class: 'scroll'}, make('table', {class: 'source'}, make('tbody', {}, ...rows)));
}

/* Files with little of the cost are initially closed. */
function fileListing(row, file, share, lines, calls)
{
    const text = sourceOf(file);
    const report = data.reports[row.report];
    const {self, total} = routineSums(row);
    const isWhole = state.whole === '1';
    const costs = isWhole ? fileCosts(report, file) : new Map();
    for (const line of isWhole ? [] : lines.filter((one) => one.file === file))
        costs.set(line.line, (costs.get(line.line) || 0) + line.cost);
    const here = calls.filter((call) => call.file === file);
    const wanted = [...costs.keys(), ...here.map((call) => call.line), ...row.file === file && row.line ? [row.line] : []];
    const shown = isWhole ? text.map((_, i) => i + 1).slice(0, SOURCE_LINES_MOST) : linesInSight(wanted, text.length);
    const head = [file, make('small', {}, isWhole ? ' shares of the total cost' : ' shares of the routine’s self cost')];
    const body = listing(text, shown, costs, here, isWhole ? report.totals.cost : self, total);
    return share < FILE_SHARE_LEAST ? [make('details', {}, make('summary', {}, ...head), body)] : [make('h3', {}, ...head), body];
}

function sourceView(row, lines, calls)
{
    const costs = new Map();
    for (const line of lines)
        costs.set(line.file, (costs.get(line.file) || 0) + line.cost);
    const files = [...costs.keys()].filter((file) => file && sourceOf(file)).sort((l, r) => costs.get(r) - costs.get(l));
    if (files.length === 0)
        return [make('p', {class: 'quiet'}, Object.keys(data.sources).length > 0 ? 'The source of these lines is not in the page, because it was not found at the path in the debug data.' :
                     'To see the source here, make the page with --embed-source.')];
    const box = make('input', {type: 'checkbox', 'data-switch': 'whole', onchange: () => update({whole: box.checked ? '1' : ''})});
    box.checked = state.whole === '1';
    return [make('div', {class: 'switches'}, make('label', {}, box, 'whole files, with the cost of all routines')),
            ...files.flatMap((file) => fileListing(row, file, percent(costs.get(file), routineSums(row).self), lines, calls))];
}

function codeOfSide(side)
{
    const lines = routineLines(side.row), calls = routineCalls(side.row);
    const head = side.isPair ? make('h3', {class: side.color === '--base' ? 'a' : 'b'}, side.label.replace(/, $/, '')) : null;
    if (lines.length === 0)
        return [head, make('p', {class: 'quiet'}, 'The report has no costs of lines: it was made with --lines=no, or by a compiled-in profiler, or the routine has no self cost.')];
    return [head, inlinedList(side.row), make('h3', {}, 'Most expensive lines'), linesTable(side.row, lines, calls), ...sourceView(side.row, lines, calls)];
}

/* Shows the changes first if there are two reports. */
function codePanel()
{
    const changes = state.b !== '' && linesAreKnown(detail.entry) ? lineChanges(detail.entry) : [];
    return [...changes, ...sides().flatMap(codeOfSide).filter((part) => part !== null)];
}
