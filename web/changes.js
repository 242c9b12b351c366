/* The changes of a routine between two reports: its lines, and calls to and by the routine.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Lines move when sources are edited, so lines are aligned as in compare_code.h: file by file, in
 * order, so that matching lines have as much cost as possible.
 */
'use strict';

const LINES_ALIGNED = 500; /* number of the most expensive lines of each report */

/* The lines with their inlined functions: [{file, line, cost, inlined}...], in the order of the
 * files. */
function linesInOrder(row)
{
    const found = new Map();
    for (const one of routineLines(row)) { /* the most expensive entry first, whose inlined function is shown */
        const key = `${one.file}:${one.line}`;
        const known = found.get(key);
        if (known)
            known.cost += one.cost;
        else
            found.set(key, {...one, name: baseName(one.file)});
    }
    const costliest = [...found.values()].sort((l, r) => r.cost - l.cost).slice(0, LINES_ALIGNED);
    return costliest.sort((l, r) => (l.name < r.name ? -1 : l.name > r.name ? 1 : l.line - r.line));
}

function commonCost(a, b)
{
    return a.name === b.name ? Math.min(a.cost, b.cost) : 0;
}

/* best[i * (b.length + 1) + k] is the largest cost that lines of a from i on and lines of b from k
 * on can have in common. */
function linesAlign(a, b)
{
    const width = b.length + 1;
    const best = new Float64Array((a.length + 1) * width);
    for (let i = a.length - 1; i >= 0; i--) {
        for (let k = b.length - 1; k >= 0; k--) {
            const at = i * width + k;
            best[at] = Math.max(best[at + width], best[at + 1], best[at + width + 1] + commonCost(a[i], b[k]));
        }
    }
    return best;
}

/* Pairs of lines, [{a, b, change}...], the largest change first; null for a missing counterpart. */
function linesChanged(before, after)
{
    const a = linesInOrder(before), b = linesInOrder(after), best = linesAlign(a, b), width = b.length + 1;
    const pairs = [];
    const push = (one, other) => pairs.push({a: one, b: other, change: (other ? other.cost : 0) - (one ? one.cost : 0)});
    let i = 0, k = 0;
    while (i < a.length || k < b.length) {
        const at = i * width + k;
        const common = i < a.length && k < b.length ? commonCost(a[i], b[k]) : 0;
        if (common > 0 && best[at] === best[at + width + 1] + common)
            push(a[i++], b[k++]);
        else if (k < b.length && (i === a.length || best[at] === best[at + 1]))
            push(null, b[k++]);
        else
            push(a[i++], null);
    }
    return pairs.sort((l, r) => Math.abs(r.change) - Math.abs(l.change) || lineCost(r) - lineCost(l));
}

function lineIsKnown({a, b})
{
    return (b || a).line > 0;
}

function lineCost({a, b})
{
    return (b || a).cost;
}

/* ---------------------------------------------------------------- Numbers */

function changeWords(change)
{
    return change === 0 ? '0' : `${change > 0 ? '+' : '−'}${shortNumber(Math.abs(change))}`;
}

/* The source position of a line; null if it is not known. */
function changeCell(change)
{
    if (change === null)
        return make('td', {class: 'number'}, DASH);
    return make('td', {class: change === 0 ? 'number' : 'number changed', title: fullNumber(change)}, changeWords(change));
}

function numberCell(value, kind = 'number')
{
    const isKnown = value !== null && value !== undefined;
    return make('td', {class: kind, title: isKnown ? fullNumber(value) : null}, isKnown ? shortNumber(value) : DASH);
}

/* ---------------------------------------------------------------- Lines */

function linePlace({a, b})
{
    return a && b && a.line !== b.line ? `${placeWords(b)} (${a.file ? a.line : placeWords(a)} before)` : placeWords(b || a);
}

function lineChangeRow(entry, pair)
{
    const line = pair.b || pair.a;
    const report = data.reports[(pair.b ? entry.b : entry.a).report];
    const text = sourceOf(line.file);
    return make('tr', {}, changeCell(pair.change), numberCell(pair.a && pair.a.cost), numberCell(pair.b && pair.b.cost),
                make('td', {class: 'place', title: line.file}, linePlace(pair)),
                make('td', {}, text ? make('code', {}, (text[line.line - 1] || '').trim()) : null,
                     line.inlined ? make('small', {}, ` in ${inlinedWords(report, line.inlined)}`) : null));
}

function linesAreKnown({a, b})
{
    return a !== null && b !== null && [a, b].every((row) => routineLines(row).length > 0);
}

/* The changed lines of a routine that has lines in both reports. */
function lineChanges(entry)
{
    const pairs = linesChanged(entry.a, entry.b).filter(({change}) => change !== 0);
    if (pairs.length === 0)
        return [make('p', {class: 'quiet'}, 'The lines of this routine cost the same in both reports.')];
    const heads = [['self Δ', 'Self cost in the second report minus self cost in the first', 'number'], ['●', 'Self cost in the first report', 'number'],
                   ['▲', 'Self cost in the second report', 'number'], ['line', 'File and line; moved lines are matched', ''],
                   ['source', 'Source text if it was embedded, and inlined functions', '']];
    const rowOf = (pair) => lineChangeRow(entry, pair);
    return [make('h3', {}, 'Lines, sorted by change'), listTable('lines changes', headCells(heads), pairs, LINES_SHOWN, rowOf)];
}

/* ---------------------------------------------------------------- Calls */

function callsAreKnown()
{
    return sides().every((side) => data.reports[side.row.report].edges.length > 0);
}

function neighbourChange({sides: [a, b]})
{
    return callsAreKnown() ? (b ? b.cost : 0) - (a ? a.cost : 0) : null;
}

/* ---------------------------------------------------------------- In words */

/* The neighbour whose `field` changed most; null if no neighbour changed. */
function neighbourChanged(which, field)
{
    const sum = (side) => side ? side[field] : 0;
    const change = ({sides: [a, b]}) => Math.abs(sum(b) - sum(a));
    const most = neighboursPaired(which).reduce((best, one) => best === null || change(one) > change(best) ? one : best, null);
    return most && change(most) > 0 ? {name: most.name, a: sum(most.sides[0]), b: sum(most.sides[1])} : null;
}

function changedWords({a, b})
{
    return `${shortNumber(a)} → ${shortNumber(b)}`;
}

/* Names the places where the routine changed: its line, callees and callers, if both reports have
 * these data. */
function changedPlaces(entry)
{
    const words = [];
    const line = entry.a.self === entry.b.self || !linesAreKnown(entry) ? null : linesChanged(entry.a, entry.b).find(lineIsKnown);
    if (line && line.change !== 0)
        words.push(`Its self cost changed most at ${linePlace(line)}: ${changedWords({a: line.a ? line.a.cost : 0, b: line.b ? line.b.cost : 0})}.`);
    if (!callsAreKnown())
        return words;
    const callee = neighbourChanged('callees', 'cost');
    if (callee)
        words.push(`The callee whose cost changed most is ${callee.name}: ${changedWords(callee)}.`);
    const caller = neighbourChanged('callers', 'calls');
    if (caller)
        words.push(`Calls by ${caller.name}: ${changedWords(caller)}.`);
    return words;
}
