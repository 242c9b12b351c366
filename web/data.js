/* The data of the page: reports, their rows, and points, which are unpacked on demand.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * page_data.h, the writer, describes the layout of the arrays.
 */
'use strict';

const CURVE_WORST = 0, CURVE_AVERAGE = 1, CURVE_DEARER = 2, CURVE_CHEAPER = 3;
const ANSWER_FEW_POINTS = 0, ANSWER_NO_FIT = 1, ANSWER_AMBIGUOUS = 2;
const POINT_FIELDS = ['input', 'calls', 'min', 'max', 'sum', 'self', 'thread', 'external'];
const POINTS_KEPT = 1000000; /* maximum number of unpacked points; other points are unpacked again when they are needed */

const data = JSON.parse(document.getElementById('data').textContent);

function baseName(path)
{
    return path.slice(path.lastIndexOf('/') + 1);
}

function percent(part, whole)
{
    return whole > 0 ? 100 * part / whole : 0;
}

/* ---------------------------------------------------------------- Curves */

function fitOpen(raw)
{
    return {name: data.classes[raw[0]], a: raw[1], b: raw[2], exponent: raw[3], rSquared: raw[4],
            spread: raw[5], formula: raw[6]};
}

function curveOpen(raw)
{
    const curve = {kind: raw[0], answer: raw[1], sizes: raw[2], least: raw[3], most: raw[4],
                   words: raw[5], rank: raw[6]};
    if (curve.answer > ANSWER_NO_FIT) {
        curve.best = fitOpen(raw[7]);
        curve.rival = fitOpen(raw[8]);
        curve.ahead = raw[9];
        curve.pattern = raw[10] === 1;
        curve.power = raw[11] ? {exponent: raw[11][0], low: raw[11][1], high: raw[11][2]} : null;
    }
    return curve;
}

/* ---------------------------------------------------------------- Rows */

/* Identifies a routine in all reports; addresses cannot, because they change with every build. */
function rowKey(report, routine, thread)
{
    const [, symbol, object, file, , offset] = routine;
    const parts = [baseName(report.objects[object]), symbol || offset];
    if (file)
        parts.push(baseName(file));
    if (thread)
        parts.push(`thread ${thread}`);
    return parts.join('!');
}

/* The name, as short as in the terminal's sentences. */
function routineName(report, number)
{
    const routine = report.routines[number];
    return routine[7] || routine[0];
}

function rowPlace(report, routine)
{
    const [, symbol, object, file, line] = routine;
    if (file && line)
        return `${baseName(file)}:${line}`;
    return symbol ? baseName(report.objects[object]) || '???' : '';
}

/* The text, the rank and the reason of a claim. */
function growthOpen(row, worst, average)
{
    [row.worstWords, row.worstRank, row.worstReason, row.worstAnswer, row.worstCurve] = worst;
    [row.averageWords, row.averageRank, row.averageReason, row.averageAnswer, row.averageCurve] = average;
}

function rowOpen(report, metric, base, more)
{
    const [index, thread, calls, total, self] = base;
    const [input, inputMax, worst, trms, byThread, byExternal, points, block, worstClaim, averageClaim, curves] = more;
    const routine = report.routines[index];
    const object = report.objects[routine[2]];
    const row = {
        report: report.index, metric: metric.name, name: routine[7] || routine[0], whole: routine[0], symbol: routine[1], object,
        narrower: [routine[8], routine[9]].filter(Boolean), file: routine[3], line: routine[4], offset: routine[5], place: rowPlace(report, routine),
        key: rowKey(report, routine, thread), routine: index, objectNumber: routine[2], isStartup: routine[6] === 1, thread, calls, total, self, input, inputMax, worst,
        points, block, curves: curves.map(curveOpen),
        totalShare: percent(total, report.totals.cost), selfShare: percent(self, report.totals.cost),
        inputShare: percent(input, metric.totalInput),
        threadShare: percent(byThread, trms), externalShare: percent(byExternal, trms),
    };
    row.search = `${row.whole} ${row.name} ${row.symbol} ${row.file} ${object} ${row.place}`.toLowerCase();
    growthOpen(row, worstClaim, averageClaim);
    return row;
}

/* Equal keys, such as of static functions of one name in one file, are distinguished by their order. */
function rowsTellApart(rows)
{
    const seen = new Map();
    for (const row of rows) {
        const times = (seen.get(row.key) || 0) + 1;
        seen.set(row.key, times);
        if (times > 1)
            row.key += `!${times}`;
    }
}

/* The rows of a report by a metric, which are made only once. */
function reportRows(index, metricName)
{
    const report = data.reports[index];
    const metric = report.metrics[metricName];
    if (!metric)
        return [];
    if (!metric.opened) {
        report.index = index;
        metric.name = metricName;
        metric.opened = report.rows.map((row, i) => rowOpen(report, metric, row, metric.rows[i]));
        rowsTellApart(metric.opened);
        metric.byRoutine = new Map();
        report.rows.forEach(([routine], i) => metric.byRoutine.set(routine, [...metric.byRoutine.get(routine) || [], i]));
    }
    return metric.opened;
}

/* A routine's rows in each recorded context, the most expensive first, with `number` and `words` as
 * identification. */
function contextRows(row)
{
    const report = data.reports[row.report], metric = report.metrics[row.metric];
    if (!metric.contextsOpened)
        metric.contextsOpened = report.contexts.map(([base, words], number) =>
            ({...rowOpen(report, metric, base, metric.contexts[number]), number, words}));
    return metric.contextsOpened
        .filter((one) => one.routine === row.routine && (one.thread === row.thread || row.thread === 0))
        .sort((l, r) => r.total - l.total);
}

/* A row with a part of the self cost of a row's routine. */
function rowPart(row, self)
{
    return {...row, self, selfShare: percent(self, data.reports[row.report].totals.cost)};
}

/* A row of an inlined function: only its self cost is known. */
function inlinedRow(row, name, self)
{
    return {...rowPart(row, self), name, whole: name, narrower: [], search: `${name} ${row.search}`.toLowerCase(), calls: null, total: null, totalShare: null, input: null, inputShare: null,
            inputMax: null, worst: null, points: 0, curves: [], worstWords: '', averageWords: '', worstRank: -4, averageRank: -4};
}

/* The rows of page_changes.h about reports a and b, in this order. */
function changesBetween(a, b)
{
    const all = data.changes || [];
    const turned = all.filter(([x, y]) => x === b && y === a)
        .map(([x, y, inX, inY, name, selfX, selfY]) => [y, x, inY, inX, name, selfY, selfX]);
    return [...all.filter(([x, y]) => x === a && y === b), ...turned];
}

/* Joins the entries of a routine that has another symbol or file in the other report. */
function entriesJoin(renamed, entries)
{
    const sideOf = (side, other) => new Map([...entries.values()].filter((entry) => entry[side] && !entry[other] && !entry[side].thread)
        .map((entry) => [entry[side].routine, entry]));
    const onlyA = sideOf('a', 'b'), onlyB = sideOf('b', 'a');
    for (const [, , inA, inB] of renamed) {
        const one = onlyA.get(inA), other = onlyB.get(inB);
        if (!one || !other)
            continue;
        one.b = other.b;
        entries.delete(other.key);
    }
}

/* Divides routines into their changed inlined functions and the rest. Such an entry has the entry of
 * the whole routine as `whole`. */
function entriesDivide(parts, entries)
{
    const wholes = new Map([...entries.values()].filter((entry) => entry.a && entry.b && !entry.a.thread).map((entry) => [`${entry.a.routine} ${entry.b.routine}`, entry]));
    for (const [, , inA, inB, name, selfA, selfB] of parts) {
        const whole = wholes.get(`${inA} ${inB}`);
        if (!whole)
            continue;
        const key = name === '' ? whole.key : `${whole.key}!${name}`;
        const [rowA, rowB] = [[whole.a, selfA], [whole.b, selfB]].map(([row, self]) => name === '' ? rowPart(row, self) : inlinedRow(row, name, self));
        entries.set(key, {key, a: rowA, b: rowB, main: rowA, whole});
    }
}

/* One entry for each routine of the two reports: {key, a, b, main}; a or b is null if that report
 * lacks the routine. */
function entriesMake(a, b, metricName)
{
    const entries = new Map();
    for (const row of reportRows(a, metricName))
        entries.set(row.key, {key: row.key, a: row, b: null, main: row});
    for (const row of b >= 0 ? reportRows(b, metricName) : []) {
        const entry = entries.get(row.key);
        if (entry)
            entry.b = row;
        else
            entries.set(row.key, {key: row.key, a: null, b: row, main: row});
    }
    const changes = changesBetween(a, b);
    entriesJoin(changes.filter(([, , , , name]) => name === undefined), entries);
    entriesDivide(changes.filter(([, , , , name]) => name !== undefined), entries);
    return [...entries.values()];
}

/* ---------------------------------------------------------------- Points */

const base64Values = new Uint8Array(128);
[...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'].forEach((letter, value) => {
    base64Values[letter.charCodeAt(0)] = value;
});

function* packedTexts()
{
    for (const [index, report] of data.reports.entries()) {
        for (const metric of Object.keys(report.metrics))
            yield `points-${index}-${metric}`;
    }
}

/* Reading a text node copies the text, so each node is read only once. */
const packed = new Map();
for (const id of packedTexts())
    packed.set(id, null);

function packedText(id)
{
    if (packed.get(id) === null)
        packed.set(id, document.getElementById(id).textContent);
    return packed.get(id);
}

/* One array of numbers for each field. Numbers above 2^53 are rounded, as everywhere in the
 * page. */
function pointsUnpack(text, begin, count)
{
    const columns = POINT_FIELDS.map(() => new Float64Array(count));
    let at = begin, group = 0, left = 0;
    const nextByte = () => {
        if (left === 0) {
            for (let i = 0; i < 4; i++)
                group = (group << 6 | base64Values[text.charCodeAt(at++)]) & 0xffffff;
            left = 3;
        }
        return group >> 8 * --left & 0xff;
    };
    const nextNumber = () => {
        let number = 0, weight = 1, byte;
        do {
            byte = nextByte();
            number += (byte & 0x7f) * weight;
            weight *= 128;
        } while (byte & 0x80);
        return number;
    };
    for (let i = 0; i < count; i++) {
        for (const column of columns)
            column[i] = nextNumber();
        columns[0][i] += i > 0 ? columns[0][i - 1] : 0;
    }
    return Object.fromEntries(POINT_FIELDS.map((field, i) => [field, columns[i]]));
}

const unpacked = new Map(); /* blocks, the least recently used first */
let unpackedCount = 0;

/* The points of a row: {count, input, calls, ...}, by ascending input. */
function rowPoints(row)
{
    let points = unpacked.get(row);
    unpacked.delete(row);
    if (!points) {
        const text = packedText(`points-${row.report}-${row.metric}`);
        points = pointsUnpack(text, row.block, row.points);
        points.count = row.points;
        unpackedCount += row.points;
    }
    unpacked.set(row, points);
    for (const [oldest, old] of unpacked) {
        if (unpackedCount <= POINTS_KEPT || oldest === row)
            break;
        unpacked.delete(oldest);
        unpackedCount -= old.count;
    }
    return points;
}
