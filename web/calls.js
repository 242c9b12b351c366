/* Callers and callees of a routine: tables to walk along.
 * SPDX-License-Identifier: BSD-2-Clause
 */
'use strict';

const NEIGHBOURS_SHOWN = 15, CONTEXTS_SHOWN = 40;

/* Of one or two reports: [{key, row, name, sides: [sum or null...]}...]; what has no row has no key. */
function neighboursPaired(which)
{
    const all = sides();
    const found = new Map();
    all.forEach((side, i) => {
        for (const sum of neighbours(side.row, which)) {
            const name = sum.row ? sum.row.name : data.reports[side.row.report].routines[sum.routine][0];
            const key = sum.row ? sum.row.key : `?${name}`;
            if (!found.has(key))
                found.set(key, {key: sum.row ? key : '', row: sum.row, name, sides: all.map(() => null)});
            found.get(key).sides[i] = sum;
        }
    });
    return [...found.values()];
}

/* What no edge has: activations that nothing called, or the routine's own code. */
function neighbourRest(side, which)
{
    const sums = routineSums(side.row);
    if (which === 'callees')
        return {calls: null, cost: sums.self, input: null};
    const known = neighbours(side.row, which);
    const rest = (name, from) => Math.max(0, from - known.reduce((sum, one) => sum + one[name], 0));
    return {calls: rest('calls', sums.calls), cost: rest('cost', sums.total), input: null};
}

function neighbourCells(side, sum, mark)
{
    const number = (value) => make('td', {class: 'number'}, value);
    if (!sum)
        return [number(DASH), number(DASH), make('td', {class: 'number spare'}, DASH), number(DASH)];
    const {total} = routineSums(side.row);
    const share = percent(sum.cost, total);
    return [
        make('td', {class: `number share ${mark}`, style: `--share: ${Math.min(share, 100)}%`}, `${sharePercent(share)} %`),
        make('td', {class: 'number', title: sum.calls === null ? null : fullNumber(sum.calls)}, sum.calls === null ? '' : shortNumber(sum.calls)),
        make('td', {class: 'number spare', title: fullNumber(sum.cost)}, shortNumber(sum.cost)),
        number(sum.calls && sum.input !== null ? shortNumber(sum.input / sum.calls) : ''),
    ];
}

function routineLink(row, name)
{
    if (!row)
        return make('span', {}, name);
    return make('button', {type: 'button', class: 'link', title: `${row.name}\n${row.file || row.object}`,
                           onclick: () => tableGo(row.key)}, name);
}

function neighbourHead(title)
{
    const heads = [['of its cost', 'Share of what the routine costs with all that it calls'], ['calls', 'How often'],
                   ['cost', 'With everything called; calls while the callee was pending already cost nothing more'],
                   ['input', 'Mean input size of a call']];
    const all = sides();
    const marks = all.length > 1 ? [' ●', ' ▲'] : [''];
    return make('thead', {}, make('tr', {}, make('th', {scope: 'col'}, title), ...all.flatMap((side, i) =>
        heads.map(([head, meaning]) => make('th', {scope: 'col', class: head === 'cost' ? 'number spare' : 'number', title: meaning}, head + marks[i])))));
}

function neighbourRow(entry)
{
    const all = sides();
    const place = entry.row ? entry.row.place : '';
    const name = make('th', {scope: 'row'}, routineLink(entry.row, entry.name), place ? make('small', {}, ` ${place}`) : null);
    return make('tr', {}, name, ...all.flatMap((side, i) => neighbourCells(side, entry.sides[i], i ? 'b' : 'a')));
}

function neighbourTable(which, title, restName)
{
    const rests = sides().map((side) => neighbourRest(side, which));
    const entries = neighboursPaired(which);
    const cost = (entry) => Math.max(...entry.sides.map((sum) => sum ? sum.cost : 0));
    if (rests.some((rest) => rest.cost > 0 || rest.calls > 0))
        entries.push({key: '', row: null, name: restName, sides: rests});
    entries.sort((l, r) => cost(r) - cost(l));
    const body = make('tbody', {}, ...entries.slice(0, NEIGHBOURS_SHOWN).map(neighbourRow));
    const more = entries.length - NEIGHBOURS_SHOWN;
    const button = more > 0 ? make('button', {type: 'button', onclick: () => {
        body.replaceChildren(...entries.map(neighbourRow));
        button.remove();
    }}, `${more} more`) : null;
    return make('div', {class: `scroll ${which}`}, make('table', {class: 'list'}, neighbourHead(title), body), button);
}

/* How a call grows may be another thing for each caller. */
function contextTable(row)
{
    const rows = contextRows(row);
    if (rows.length === 0)
        return [];
    const {total} = routineSums(row);
    const lines = rows.slice(0, CONTEXTS_SHOWN).map((one) => make('tr', {class: String(one.number) === state.context ? 'open' : null},
        make('th', {scope: 'row'}, make('button', {type: 'button', class: 'link', title: 'Only this context in the plot', onclick: () => update({context: String(one.number), tab: '', zoom: ''}, true)}, one.words)),
        shareCell('td', percent(one.total, total)), make('td', {class: 'number'}, shortNumber(one.calls)), make('td', {}, one.averageWords)));
    const heads = [['Contexts', '', ''], ['of its cost', 'Share of what the routine costs with all that it calls', 'number'], ['calls', 'How often', 'number'],
                   ['one call', 'How the cost of a call grows with its input in this context, if that stood a test', '']];
    const left = rows.length - lines.length;
    return [make('div', {class: 'scroll contexts'}, make('table', {class: 'list'}, make('thead', {}, make('tr', {}, ...heads.map(([head, meaning, kind]) =>
        make('th', {scope: 'col', class: kind, title: meaning}, head)))), make('tbody', {}, ...lines)), left > 0 ? make('p', {class: 'quiet'}, `${left} more cost less`) : null)];
}

function callsPanel()
{
    const contexts = detail.entry.a ? contextTable(detail.entry.a) : [];
    if (!sides().some((side) => data.reports[side.row.report].edges.length > 0))
        return [...contexts, make('p', {class: 'quiet'}, 'This report does not say who calls whom: it was made with --edges=no, or of a compiled program.')];
    const threads = detail.entry.main.thread ? [make('p', {class: 'quiet'}, 'Calls of all threads together.')] : [];
    return [...contexts, ...threads, neighbourTable('callers', 'Called by', 'nothing: where a thread begins, say'),
            neighbourTable('callees', 'Calls', 'its own code')];
}
