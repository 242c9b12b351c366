/* Callers and callees of a routine, as tables with links; with two reports, sorted by change.
 * SPDX-License-Identifier: BSD-2-Clause
 */
'use strict';

const NEIGHBOURS_SHOWN = 15, CONTEXTS_SHOWN = 40;

/* The calls of one or two reports: [{key, row, name, sides: [sum or null...]}...]. An entry without
 * a row has no key. */
function neighboursPaired(which)
{
    const all = sides();
    const found = new Map();
    all.forEach((side, i) => {
        for (const sum of neighbours(side.row, which)) {
            const name = sum.row ? sum.row.name : routineName(data.reports[side.row.report], sum.routine);
            const key = sum.row ? sum.row.key : `?${name}`;
            if (!found.has(key))
                found.set(key, {key: sum.row ? key : '', row: sum.row, name, sides: all.map(() => null)});
            found.get(key).sides[i] = sum;
        }
    });
    return [...found.values()];
}

/* The remaining cost that no edge has: activations without a caller, or the routine's own code. */
function neighbourRest(side, which)
{
    const sums = routineSums(side.row);
    if (which === 'callees')
        return {calls: null, cost: sums.self, input: null};
    const known = neighbours(side.row, which);
    const rest = (name, from) => Math.max(0, from - known.reduce((sum, one) => sum + one[name], 0));
    return {calls: rest('calls', sums.calls), cost: rest('cost', sums.total), input: null};
}

function neighbourCells(side, sum)
{
    const {total} = routineSums(side.row);
    const share = percent(sum.cost, total);
    return [
        make('td', {class: 'number share', style: `--share: ${Math.min(share, 100)}%`}, `${sharePercent(share)} %`),
        make('td', {class: 'number', title: sum.calls === null ? null : fullNumber(sum.calls)}, sum.calls === null ? '' : shortNumber(sum.calls)),
        make('td', {class: 'number spare', title: fullNumber(sum.cost)}, shortNumber(sum.cost)),
        make('td', {class: 'number'}, neighbourInput(sum) === null ? '' : shortNumber(neighbourInput(sum))),
    ];
}

function routineLink(row, name)
{
    if (!row)
        return make('span', {}, name);
    return make('button', {type: 'button', class: 'link', title: `${row.whole}\n${row.file || row.object}`,
                           onclick: () => tableGo(row.key)}, name);
}

const NEIGHBOUR_HEADS = [
    ['of its cost', 'Share of the routine’s total cost', 'number'], ['calls', 'Number of calls', 'number'],
    ['cost', 'Cost including callees; recursive calls are shown without cost', 'number spare'],
    ['input', 'Mean input size of a call', 'number'],
];
const NEIGHBOUR_PAIR_HEADS = [
    ['cost Δ', 'Cost in the second report minus cost in the first', 'number'],
    ['cost ●', 'Cost including callees, in the first report', 'number spare'], ['cost ▲', 'Cost including callees, in the second report', 'number spare'],
    ['calls ●', 'Number of calls, in the first report', 'number'], ['calls ▲', 'Number of calls, in the second report', 'number'],
    ['input ●', 'Mean input size of a call, in the first report', 'number'], ['input ▲', 'Mean input size of a call, in the second report', 'number'],
];

function neighbourHeads(title)
{
    return [[title, null, null], ...sides().length > 1 ? NEIGHBOUR_PAIR_HEADS : NEIGHBOUR_HEADS];
}

function neighbourInput(sum)
{
    return sum && sum.calls && sum.input !== null ? sum.input / sum.calls : null;
}

/* The columns for two reports: the change, then each number of the two reports. */
function neighbourPairCells(entry)
{
    const of = (field) => entry.sides.map((sum) => sum ? sum[field] : null);
    return [changeCell(neighbourChange(entry)), ...of('cost').map((cost) => numberCell(cost, 'number spare')),
            ...of('calls').map((calls) => numberCell(calls)), ...entry.sides.map((sum) => numberCell(neighbourInput(sum)))];
}

function neighbourRow(entry)
{
    const all = sides();
    const place = entry.row ? entry.row.place : '';
    const name = make('th', {scope: 'row'}, routineLink(entry.row, entry.name), place ? make('small', {}, ` ${place}`) : null);
    return make('tr', {}, name, ...all.length > 1 ? neighbourPairCells(entry) : neighbourCells(all[0], entry.sides[0]));
}

function neighbourTable(which, title, restName)
{
    const rests = sides().map((side) => neighbourRest(side, which));
    const entries = neighboursPaired(which);
    const cost = (entry) => Math.max(...entry.sides.map((sum) => sum ? sum.cost : 0));
    const change = (entry) => entry.sides.length > 1 ? Math.abs(neighbourChange(entry)) : 0;
    if (rests.some((rest) => rest.cost > 0 || rest.calls > 0))
        entries.push({key: '', row: null, name: restName, sides: rests});
    entries.sort((l, r) => change(r) - change(l) || cost(r) - cost(l));
    return listTable(which, headCells(neighbourHeads(title)), entries, NEIGHBOURS_SHOWN, neighbourRow);
}

/* The growth of a call's cost may differ by caller. */
function contextTable(row)
{
    const rows = contextRows(row);
    if (rows.length === 0)
        return [];
    const {total} = routineSums(row);
    const lines = rows.slice(0, CONTEXTS_SHOWN).map((one) => make('tr', {class: String(one.number) === state.context ? 'open' : null},
        make('th', {scope: 'row'}, make('button', {type: 'button', class: 'link', title: 'Only this context in the plot', onclick: () => update({context: String(one.number), tab: '', zoom: ''}, true)}, one.words)),
        shareCell('td', percent(one.total, total)), make('td', {class: 'number'}, shortNumber(one.calls)), make('td', {}, one.averageWords)));
    const heads = [['Contexts', '', ''], ['of its cost', 'Share of the routine’s total cost', 'number'], ['calls', 'Number of calls', 'number'],
                   ['one call', 'Validated growth of the cost of a call with its input, in this context', '']];
    const left = rows.length - lines.length;
    return [make('div', {class: 'scroll contexts'}, make('table', {class: 'list'}, make('thead', {}, make('tr', {}, ...heads.map(([head, meaning, kind]) =>
        make('th', {scope: 'col', class: kind, title: meaning}, head)))), make('tbody', {}, ...lines)), left > 0 ? make('p', {class: 'quiet'}, `${left} more cost less`) : null)];
}

function callsPanel()
{
    const contexts = detail.entry.a ? contextTable(detail.entry.a) : [];
    if (!sides().some((side) => data.reports[side.row.report].edges.length > 0))
        return [...contexts, make('p', {class: 'quiet'}, 'This report has no callers and callees: it was made with --edges=no, or with edges=no in APROF.')];
    const threads = detail.entry.main.thread ? [make('p', {class: 'quiet'}, 'Calls of all threads together.')] : [];
    const missing = callsAreKnown() ? [] : [make('p', {class: 'quiet'}, 'Only one of the reports has callers and callees.')];
    return [...contexts, ...threads, ...missing, neighbourTable('callers', 'Called by', 'no caller, for example at the start of a thread'),
            neighbourTable('callees', 'Calls', 'self cost')];
}
