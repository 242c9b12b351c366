/* Queries about the code: callers and callees, the cost of each line, and inlined functions.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * page_code.h has the layout of the arrays. The arrays are scanned once, on the first query. Edges
 * and lines are sums over all threads, so their shares refer to a routine in all threads.
 */
'use strict';

const EDGE_FIELDS = 8; /* caller, callee, inlined, file, line, calls, cost, input */

/* The positions of each routine's edges and lines, as {callers, callees, lines}; made once for each
 * report. */
function whereIndex(report)
{
    if (report.where)
        return report.where;
    const push = (lists, routine, at) => {
        if (lists.has(routine))
            lists.get(routine).push(at);
        else
            lists.set(routine, [at]);
    };
    const where = {callers: new Map(), callees: new Map(), lines: new Map()};
    for (let at = 0; at < report.edges.length; at += EDGE_FIELDS) {
        push(where.callees, report.edges[at], at);
        push(where.callers, report.edges[at + 1], at);
    }
    report.lines.forEach((group, at) => push(where.lines, group[0], at));
    report.where = where;
    return where;
}

function whereIsKnown(report)
{
    return report.edges.length > 0 || report.lines.length > 0;
}

/* ---------------------------------------------------------------- Calls */

/* The row of a routine in the report of another row, preferably of the other row's thread. */
function rowOfRoutine(row, routine)
{
    const rows = reportRows(row.report, row.metric);
    const {byRoutine} = data.reports[row.report].metrics[row.metric];
    return (byRoutine.get(routine) || []).map((i) => rows[i])
        .sort((l, r) => (r.thread === row.thread) - (l.thread === row.thread))[0] || null;
}

/* The sums of a routine's rows over all threads. */
function routineSums(row)
{
    const rows = reportRows(row.report, row.metric);
    const sums = {calls: 0, total: 0, self: 0};
    for (const i of data.reports[row.report].metrics[row.metric].byRoutine.get(row.routine)) {
        sums.calls += rows[i].calls;
        sums.total += rows[i].total;
        sums.self += rows[i].self;
    }
    return sums;
}

/* The callers or callees of a routine, the most expensive first: [{routine, row, calls, cost, input}...]. */
function neighbours(row, which)
{
    const report = data.reports[row.report];
    const far = which === 'callers' ? 0 : 1;
    const found = new Map();
    for (const at of whereIndex(report)[which].get(row.routine) || []) {
        const routine = report.edges[at + far];
        if (!found.has(routine))
            found.set(routine, {routine, row: rowOfRoutine(row, routine), calls: 0, cost: 0, input: 0});
        const sum = found.get(routine);
        sum.calls += report.edges[at + 5];
        sum.cost += report.edges[at + 6];
        sum.input += report.edges[at + 7];
    }
    return [...found.values()].sort((l, r) => r.cost - l.cost || r.calls - l.calls);
}

/* ---------------------------------------------------------------- Lines */

/* A position in the code from the arrays, with the number of the innermost inlined function. */
function placeOf(report, inlined, file, line)
{
    return {inlined, file: file ? report.files[file - 1] : '', line};
}

function placeWords({file, line})
{
    if (!file)
        return line ? `0x${line.toString(16)}` : 'unknown place';
    return `${baseName(file)}:${line || '?'}`;
}

/* The function that the user's code calls, among the functions inlined around a place in a
 * library's source; 0: none. */
function userCall(report, inlined, file)
{
    report.isLibrary = report.isLibrary || new Set(report.library);
    let call = 0;
    while (report.isLibrary.has(file) && inlined) {
        call = inlined;
        [inlined, file] = report.inlined[call - 1];
    }
    return report.isLibrary.has(file) ? 0 : call;
}

/* The place of the user's code that caused the cost of a place. */
function userPlace(report, inlined, file, line)
{
    const call = userCall(report, inlined, file);
    return call ? placeOf(report, ...report.inlined[call - 1]) : placeOf(report, inlined, file, line);
}

const byPlace = (l, r) => (l.file < r.file ? -1 : l.file > r.file ? 1 : l.line - r.line);

/* Calls act() for each line of a routine's own code, with [inlined, file, line] and its cost. */
function routineCodeEach(row, act)
{
    const report = data.reports[row.report];
    for (const at of whereIndex(report).lines.get(row.routine) || []) {
        const [, inlined, file, ...rest] = report.lines[at];
        for (let i = 0; i < rest.length; i += 2)
            act([inlined, file, rest[i]], rest[i + 1]);
    }
}

/* The lines of a routine's own code, the most expensive first, then by position as in `aprof
 * report`: [{inlined, file, line, cost, library}...]. Inlined library code counts for the user's
 * line; `library` has the cost of this code by name. */
function routineLines(row)
{
    const report = data.reports[row.report];
    const lines = new Map();
    routineCodeEach(row, ([inlined, file, number], cost) => {
        const call = userCall(report, inlined, file);
        const place = userPlace(report, inlined, file, number);
        const key = `${place.inlined} ${place.file}:${place.line}`;
        if (!lines.has(key))
            lines.set(key, {...place, cost: 0, library: new Map()});
        const line = lines.get(key);
        line.cost += cost;
        if (call)
            line.library.set(inlinedName(report, call), (line.library.get(inlinedName(report, call)) || 0) + cost);
    });
    return [...lines.values()].sort((l, r) => r.cost - l.cost || byPlace(l, r));
}

/* The calls that a routine makes: [{inlined, file, line, routine, row, calls, cost}...]. */
function routineCalls(row)
{
    const report = data.reports[row.report];
    return (whereIndex(report).callees.get(row.routine) || []).map((at) => {
        const [, routine, inlined, file, line, calls, cost] = report.edges.slice(at, at + EDGE_FIELDS);
        return {...userPlace(report, inlined, file, line), routine, row: rowOfRoutine(row, routine), calls, cost};
    });
}

/* The self costs of all routines in a file: a map from lines. */
function fileCosts(report, path)
{
    const costs = new Map();
    for (const [, inlined, file, ...rest] of report.lines) {
        for (let i = 0; i < rest.length; i += 2) {
            const place = userPlace(report, inlined, file, rest[i]);
            if (place.file === path)
                costs.set(place.line, (costs.get(place.line) || 0) + rest[i + 1]);
        }
    }
    return costs;
}

/* ---------------------------------------------------------------- Inlined functions */

/* Lists the inlined functions from the innermost to the outermost. */
function inlinedChain(report, inlined)
{
    const chain = [];
    for (let at = inlined; at > 0; at = report.inlined[at - 1][0])
        chain.push(at);
    return chain;
}

function inlinedName(report, inlined)
{
    return report.inlined[inlined - 1][3] || 'a function without a name';
}

/* The functions inlined in a routine, as a tree [{inlined, name, place, cost, inner}...], the most
 * expensive first. A function's cost includes all its lines and inner functions. */
function inlinedTree(row)
{
    const report = data.reports[row.report];
    const nodes = new Map();
    routineCodeEach(row, ([innermost], cost) => {
        for (const inlined of inlinedChain(report, innermost)) {
            if (!nodes.has(inlined)) {
                const [, file, at] = report.inlined[inlined - 1];
                nodes.set(inlined, {inlined, name: inlinedName(report, inlined), place: placeOf(report, 0, file, at), cost: 0, inner: []});
            }
            nodes.get(inlined).cost += cost;
        }
    });
    const roots = [];
    for (const node of [...nodes.values()].sort((l, r) => r.cost - l.cost)) {
        const around = report.inlined[node.inlined - 1][0];
        (around ? nodes.get(around).inner : roots).push(node);
    }
    return roots;
}
