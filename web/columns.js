/* The columns of the table: their labels, sort keys and contents.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A column has `fill(cell, entry)` and, if the table can be sorted by it, `value(entry)`. If the
 * table is too narrow, columns with a higher `rank` are omitted first.
 */
'use strict';

const DASH = '–';
const NARROW_WIDTH = 600;

function growthFill(cell, words, rank)
{
    cell.textContent = cell.title = words;
    cell.classList.toggle('unknown', rank < 0);
    cell.style.setProperty('--steep', `${Math.max(rank, 0) / (data.classes.length - 1) * 100}%`);
}

function growthChangeFill(cell, entry, words, rank)
{
    const {a, b} = entry;
    const text = a && b && a[words] !== b[words] ? `${a[words]} → ${b[words]}` : entry.main[words];
    growthFill(cell, text, Math.max(a ? a[rank] : -1, b ? b[rank] : -1));
    cell.classList.toggle('changed', Boolean(a && b) && a[words] !== b[words]);
}

function growthColumn(id, label, title, words, rank)
{
    return {
        id, label, title, width: 150, className: 'growth', rank: id === 'worst' ? 6 : 1,
        value: (entry) => Math.max(entry.a ? entry.a[rank] : -3, entry.b ? entry.b[rank] : -3),
        fill: (cell, entry) => growthChangeFill(cell, entry, words, rank),
    };
}

function shareColumn(id, label, title, field, side, rank)
{
    return {
        id, label, title, width: 88, className: 'number share', rank,
        value: (entry) => entry[side] ? entry[side][field] : -1,
        fill: (cell, entry) => {
            const share = entry[side] ? entry[side][field] : null;
            cell.textContent = share === null ? DASH : sharePercent(share);
            cell.style.setProperty('--share', `${Math.min(share || 0, 100)}%`);
        },
    };
}

function countColumn(id, label, title, field, side, rank)
{
    return {
        id, label, title, width: 78, className: 'number', rank,
        value: (entry) => entry[side] ? entry[side][field] : -1,
        fill: (cell, entry) => {
            const count = entry[side] ? entry[side][field] : null;
            cell.textContent = count === null ? DASH : shortNumber(count);
            cell.title = count === null ? '' : fullNumber(count);
        },
    };
}

function costRatio(entry)
{
    if (!entry.a || !entry.b)
        return entry.b ? Infinity : 0;
    const cost = (row) => row.total === null ? row.self : row.total;
    return cost(entry.a) > 0 ? cost(entry.b) / cost(entry.a) : cost(entry.b) > 0 ? Infinity : 1;
}

/* The longest of the row's short names that fits into the column. */
function nameFitting(row)
{
    return [row.name, ...row.narrower].find((name) => name.length <= table.letters) || row.narrower[row.narrower.length - 1] || row.name;
}

const nameColumn = {
    id: 'name', label: 'Routine', title: 'Name and place', width: 240, narrow: 145, className: 'name', rank: 0,
    text: (entry) => entry.main.name.toLowerCase(),
    fill: (cell, entry) => {
        const row = entry.main;
        const where = row.thread ? `${row.place} thread ${row.thread}` : row.place;
        cell.title = `${row.whole}\n${row.file || row.object}`;
        cell.replaceChildren(make('b', {}, nameFitting(row)), make('small', {}, where));
    },
};

const trendColumn = {
    id: 'trend', label: 'Trend', title: 'Cost against input size', width: 104, className: 'trend', rank: 2,
    fill: (cell, entry) => thumbnailRequest(cell, entry),
};

const ratioColumn = {
    id: 'ratio', label: 'Cost ×', title: 'Total cost in the second report, divided by total cost in the first',
    width: 78, className: 'number', rank: 1, value: costRatio,
    fill: (cell, entry) => {
        const ratio = costRatio(entry);
        const words = !entry.a ? 'new' : !entry.b ? 'gone' : ratio === Infinity ? '∞' : ratio.toFixed(2);
        cell.textContent = words;
        cell.classList.toggle('changed', ratio > 1.1 || ratio < 0.9);
    },
};

function ownChange(entry)
{
    return (entry.b ? entry.b.self : 0) - (entry.a ? entry.a.self : 0);
}

/* Routines that explain the change of the total come first; if the total is unchanged, the largest
 * changes come first. */
function changeValue(entry)
{
    const change = ownChange(entry);
    const [a, b] = [state.a, state.b].map((index) => data.reports[Number(index)].totals.cost);
    if (Math.abs(b - a) <= 0.01 * a)
        return Math.abs(change);
    return b > a ? change : -change;
}

const changeColumn = {
    id: 'change', label: 'Self Δ', title: 'Self cost in the second report minus self cost in the first',
    width: 84, className: 'number', rank: 0, value: changeValue,
    fill: (cell, entry) => {
        const change = ownChange(entry);
        cell.textContent = change === 0 ? '0' : `${change > 0 ? '+' : '−'}${shortNumber(Math.abs(change))}`;
        cell.title = fullNumber(change);
    },
};

const worstColumn = growthColumn('worst', 'Worst case', 'Validated growth of the most expensive call of each input size', 'worstWords', 'worstRank');
const averageColumn = growthColumn('average', 'Growth', 'Validated growth of a call’s mean cost with its input size n', 'averageWords', 'averageRank');

/* The order and the ranks of columns are equal to `aprof report`. */
const singleColumns = [
    nameColumn,
    shareColumn('self', 'Self %', 'Share of the total cost, own code only', 'selfShare', 'a', 0),
    shareColumn('total', 'Total %', 'Share of the total cost, callees included', 'totalShare', 'a', 3),
    trendColumn, averageColumn, worstColumn,
    countColumn('calls', 'Calls', 'Number of calls', 'calls', 'a', 4),
    countColumn('points', 'Sizes', 'Different input sizes', 'points', 'a', 5),
    shareColumn('input', 'Input %', 'Share of all input read, in 4-byte cells', 'inputShare', 'a', 7),
    shareColumn('thread', 'Thread %', 'Share of the routine’s input that other threads wrote', 'threadShare', 'a', 8),
    shareColumn('external', 'External %', 'Share of the routine’s input from files, network or devices', 'externalShare', 'a', 8),
    countColumn('largest', 'Max input', 'Largest input size of a call, in cells', 'inputMax', 'a', 6),
    countColumn('maxCost', 'Max cost', 'Cost of the most expensive call', 'worst', 'a', 6),
];

const pairColumns = [
    nameColumn, changeColumn, ratioColumn, trendColumn, averageColumn, worstColumn,
    shareColumn('self', 'Self % ●', 'Share of the total cost, own code only, first report', 'selfShare', 'a', 2),
    shareColumn('self2', 'Self % ▲', 'Share of the total cost, own code only, second report', 'selfShare', 'b', 2),
    shareColumn('total', 'Total % ●', 'Share of the total cost, callees included, first report', 'totalShare', 'a', 3),
    shareColumn('total2', 'Total % ▲', 'Share of the total cost, callees included, second report', 'totalShare', 'b', 3),
    countColumn('calls', 'Calls ●', 'Number of calls, first report', 'calls', 'a', 5),
    countColumn('calls2', 'Calls ▲', 'Number of calls, second report', 'calls', 'b', 5),
    countColumn('largest', 'Max input ●', 'Largest input size, first report', 'inputMax', 'a', 6),
    countColumn('largest2', 'Max input ▲', 'Largest input size, second report', 'inputMax', 'b', 6),
];

/* The line below each column label; the tooltip explains the column in full. */
const columnHints = {
    name: 'location', self: 'own code', total: 'with callees', trend: 'cost by input', average: 'of a call with input n',
    worst: 'of the largest costs', calls: 'number', points: 'of input', input: 'of all read', thread: 'of its input',
    external: 'of its input', largest: 'cells', maxCost: 'of a call', change: 'own code', ratio: 'total cost',
};

function columnHint(column)
{
    return columnHints[column.id.replace(/2$/, '')];
}

/* Columns of names are narrower in a narrow window. */
function columnWidth(column, width)
{
    return column.narrow && width < NARROW_WIDTH ? column.narrow : column.width;
}

/* The columns that fit into the table, always with the sorted column. */
function columnsFitting(columns, width, sorted)
{
    const room = (list) => list.reduce((sum, column) => sum + columnWidth(column, width), 0);
    const shown = [...columns];
    for (let rank = 9; rank > 0 && room(shown) > width; rank--) {
        for (let i = shown.length - 1; i > 0 && room(shown) > width; i--) {
            if (shown[i].rank === rank && shown[i].id !== sorted)
                shown.splice(i, 1);
        }
    }
    return shown;
}
