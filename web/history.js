/* The page of a history: cost and growth of each routine over commits, and the change points.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * tools/history_html.c, the writer, describes the layout of the data. The address selects what is
 * shown: #r=NAME of a routine, #c=LABEL of a commit, else the overview.
 */
'use strict';

const data = JSON.parse(find('data').textContent);
const MARK_GROWTH = 1, MARK_NEW = 4, MARK_GONE = 5;
const LIST_LINES = 40, SPARK_WIDTH = 120, SPARK_HEIGHT = 26;
const PLOT_HEIGHT = 240, LABEL_LETTERS = 11;

const runs = data.runs.map(([label, date, cost, level, mark, page], index) => ({label, date, cost, level, mark, page, index, points: [], entries: []}));
const routines = data.routines.map(([name, brief, place, entries]) => {
    const routine = {name, brief, place};
    routine.entries = entries.map(([run, self, total, calls, growth, mark, words, level]) => ({routine, run: runs[run], self, total, calls, growth, mark, words, level}));
    return routine;
});
const newest = runs[runs.length - 1];

/* Equal names are distinguished by their places, and by their order. */
const byKey = new Map();
for (const routine of routines) {
    let key = byKey.has(routine.name) ? `${routine.name} in ${routine.place}` : routine.name;
    for (let i = 2; byKey.has(key); i++)
        key = `${routine.name} in ${routine.place} ${i}`;
    routine.key = key;
    byKey.set(key, routine);
    for (const entry of routine.entries) {
        entry.run.entries.push(entry);
        if (entry.mark)
            entry.run.points.push(entry);
    }
}

/* ---------------------------------------------------------------- Words */

function changeWords(before, after)
{
    if (before === 0)
        return after > 0 ? 'new' : '–';
    const change = 100 * (after / before - 1);
    return Math.abs(change) < 0.05 ? '0 %' : `${change > 0 ? '+' : '−'}${Math.abs(change).toFixed(1)} %`;
}

function routineAnchor(routine)
{
    return make('a', {href: `#${new URLSearchParams({r: routine.key})}`, title: routine.name}, routine.brief);
}

function commitAnchor(run)
{
    return make('a', {href: `#${new URLSearchParams({c: run.label})}`}, run.label);
}

function number(value, kind = '')
{
    return make('td', {class: `number ${kind}`, title: fullNumber(value)}, shortNumber(value));
}

function share(part, whole)
{
    const value = whole > 0 ? 100 * part / whole : 0;
    return make('td', {class: 'number share', style: `--share:${Math.min(value, 100)}%`}, `${sharePercent(value)} %`);
}

function shortLabel(label)
{
    return label.length > LABEL_LETTERS ? `${label.slice(0, LABEL_LETTERS - 1)}…` : label;
}

function text(words, kind = null)
{
    return make('td', {class: kind}, words);
}

function heading(words)
{
    return make('h2', {}, words);
}

/* ---------------------------------------------------------------- Charts */

/* The cost over all runs, without axes. A run that lacks the routine costs 0. */
function spark(routine)
{
    const most = Math.max(1, ...routine.entries.map((entry) => entry.self));
    const x = (run) => run / Math.max(1, runs.length - 1) * SPARK_WIDTH;
    const y = (cost) => SPARK_HEIGHT - 1 - cost / most * (SPARK_HEIGHT - 2);
    const [first] = routine.entries;
    let line = `M0 ${y(first.run.index > 0 ? 0 : first.self)}`;
    for (const entry of routine.entries)
        line += `H${x(entry.run.index).toFixed(1)}V${y(entry.self).toFixed(1)}`;
    const drawing = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
    const path = document.createElementNS('http://www.w3.org/2000/svg', 'path');
    for (const [name, value] of [['class', 'spark'], ['viewBox', `0 0 ${SPARK_WIDTH} ${SPARK_HEIGHT}`], ['preserveAspectRatio', 'none'], ['role', 'img'], ['aria-label', 'self cost over the commits']])
        drawing.setAttribute(name, value);
    path.setAttribute('d', `${line}H${SPARK_WIDTH}`);
    drawing.append(path);
    return drawing;
}

/* A layer of a plot: values by run, joined by steps. */
function line(label, points, colourName, shape)
{
    return {
        label, x: points.map(({run}) => run.index + 1), y: points.map(({value}) => value), color: colour(colourName), shape, curves: [], isStepped: true,
        describe: (i) => [['commit', points[i].run.label], ['added', points[i].run.date], [label, fullNumber(points[i].value)], ...points[i].words ? [['change', points[i].words]] : []],
    };
}

/* The change points again, as markers over the line. */
function marks(points)
{
    const marked = points.filter(({words}) => words);
    return {...line('change point', marked, '--over', 'triangle'), isStepped: false, isLarge: true};
}

let shown = []; /* {plot, remake} */

function chart(name, layers)
{
    const box = make('div', {class: 'charts'});
    shown.push({box, name, layers, zoom: null});
    return box;
}

function chartDraw(drawn)
{
    if (drawn.plot)
        plotRemove(drawn.plot);
    drawn.plot = plotMake(drawn.box, {
        name: drawn.name, layers: drawn.layers().filter((layer) => layer.x.length > 0), logx: false, logy: false, zoom: drawn.zoom || {},
        width: drawn.box.clientWidth, height: PLOT_HEIGHT, xLabel: 'commit', yLabel: drawn.name,
        xWords: (at) => Number.isInteger(at) && runs[at - 1] ? shortLabel(runs[at - 1].label) : '',
        onZoom: (zoom) => {
            drawn.zoom = zoom;
            chartDraw(drawn);
        },
    });
}

function chartsDraw()
{
    shown.forEach(chartDraw);
}

/* ---------------------------------------------------------------- Overview */

function runPoints()
{
    return runs.map((run) => ({run, value: run.cost, words: run.mark ? `cost ${changeWords(run.level, run.cost)}` : ''}));
}

/* The effect of a change point on the cost of the whole run. */
function effect(entry)
{
    return Math.abs(entry.self - entry.level);
}

function pointRow(entry)
{
    const before = entry.run.index > 0 ? runs[entry.run.index - 1].cost : 0;
    const change = entry.self - entry.level;
    return make('tr', {}, make('td', {class: 'mono'}, commitAnchor(entry.run)), make('th', {scope: 'row'}, routineAnchor(entry.routine)), text(entry.words),
                make('td', {class: 'number', title: fullNumber(change)}, change === 0 ? '0' : `${change > 0 ? '+' : '−'}${sharePercent(before > 0 ? 100 * Math.abs(change) / before : 0)} %`));
}

function pointTable(points)
{
    return listTable('points', headCells([['Commit', 'The first commit with the change'], ['Routine', ''], ['Change', 'Against the previous change point'], ['Of the run', 'Change of the self cost, as a share of the previous run’s cost', 'number']]), points, LIST_LINES, pointRow);
}

/* The routine's entry in the newest run, or null. */
function current(routine)
{
    const last = routine.entries[routine.entries.length - 1];
    return last.run === newest && last.mark !== MARK_GONE ? last : null;
}

function latestPoint(routine)
{
    return routine.entries.findLast((entry) => entry.mark);
}

function routineRow(routine)
{
    const now = current(routine), [first] = routine.entries, point = latestPoint(routine);
    const self = now ? now.self : 0;
    return make('tr', {}, make('th', {scope: 'row'}, routineAnchor(routine), make('small', {}, routine.place)), share(self, newest.cost), number(self),
                make('td', {class: 'number'}, now ? changeWords(first.self, self) : 'gone'), make('td', {}, spark(routine)),
                text(now && now.growth || '–', 'spare'), make('td', {class: 'mono spare'}, point ? commitAnchor(point.run) : '–'));
}

function routineTable(chosen)
{
    return listTable('routines', headCells([['Routine', ''], ['Self %', 'Share of the newest run', 'number'], ['Self cost', 'In the newest run', 'number'], ['Change', 'Of the self cost, since the routine’s first run', 'number'],
                                            ['Self cost over commits', ''], ['Growth', 'Worst case, in the newest run', 'spare'], ['Last change point', '', 'spare']]), chosen, LIST_LINES, routineRow);
}

function routineSection()
{
    const ordered = [...routines].sort((l, r) => (current(r) || {self: 0}).self - (current(l) || {self: 0}).self);
    const table = make('div', {}, routineTable(ordered));
    const search = make('input', {type: 'search', id: 'search', placeholder: 'Search routine or file', 'aria-label': 'Search routine or file', oninput: () => {
        const words = search.value.toLowerCase().split(/\s+/);
        table.replaceChildren(routineTable(ordered.filter(({name, place}) => words.every((word) => `${name} ${place}`.toLowerCase().includes(word)))));
    }});
    return [heading('Routines'), search, table];
}

function runRow(run)
{
    const before = run.index > 0 ? runs[run.index - 1].cost : null;
    return make('tr', {class: run.mark ? 'mark' : null}, make('th', {scope: 'row'}, commitAnchor(run)), text(run.date), number(run.cost),
                make('td', {class: 'number'}, before === null ? '–' : changeWords(before, run.cost)), make('td', {class: 'number'}, String(run.points.length)),
                make('td', {}, run.page ? make('a', {href: run.page}, 'report') : '–'));
}

function overview()
{
    const points = runs.flatMap((run) => [...run.points].sort((l, r) => effect(r) - effect(l))).sort((l, r) => r.run.index - l.run.index);
    return [
        heading('Cost of the run'), chart(data.unit, () => [line('cost', runPoints(), '--base', 'circle'), marks(runPoints())]),
        heading('Change points'), points.length > 0 ? pointTable(points) : make('p', {class: 'quiet'}, 'No routine changed.'),
        ...routineSection(),
        heading('Commits'), listTable('commits', headCells([['Commit', ''], ['Added', ''], ['Cost', '', 'number'], ['Change', 'Against the previous commit', 'number'], ['Change points', 'Number of routines with a change point', 'number'], ['Page', 'The report of the commit']]), [...runs].reverse(), LIST_LINES, runRow),
    ];
}

/* ---------------------------------------------------------------- A routine */

function entryRow(entry)
{
    return make('tr', {class: entry.mark ? 'mark' : null}, make('th', {scope: 'row'}, commitAnchor(entry.run)), text(entry.run.date, 'spare'), share(entry.self, entry.run.cost), number(entry.self), number(entry.total), number(entry.calls),
                text(entry.growth || '–'), text(entry.words));
}

function routineView(routine)
{
    const points = (field) => routine.entries.map((entry) => ({run: entry.run, value: entry[field], words: entry.words}));
    return [
        heading(routine.name), make('p', {class: 'place'}, routine.place),
        chart(data.unit, () => [line('inclusive cost', points('total'), '--third', 'diamond'), line('self cost', points('self'), '--base', 'circle'), marks(points('self'))]),
        make('p', {class: 'legend'}, make('span', {style: 'color:var(--base)'}, '● self cost'), make('span', {style: 'color:var(--third)'}, '◆ inclusive cost'), make('span', {style: 'color:var(--over)'}, '▲ change point')),
        chart('calls', () => [line('calls', points('calls'), '--fourth', 'square')]),
        listTable('entries', headCells([['Commit', ''], ['Added', '', 'spare'], ['Self %', 'Share of the run', 'number'], ['Self cost', '', 'number'], ['Inclusive', '', 'number'], ['Calls', '', 'number'], ['Growth', 'Worst case'], ['Change', 'Against the previous change point']]), [...routine.entries].reverse(), LIST_LINES, entryRow),
    ];
}

/* ---------------------------------------------------------------- A commit */

function commitRow(entry)
{
    const {routine, run} = entry;
    const at = routine.entries.indexOf(entry), before = at > 0 ? routine.entries[at - 1].self : run.index > 0 ? 0 : null;
    return make('tr', {class: entry.mark ? 'mark' : null}, make('th', {scope: 'row'}, routineAnchor(routine), make('small', {}, routine.place)), share(entry.self, run.cost), number(entry.self),
                make('td', {class: 'number'}, before === null ? '–' : changeWords(before, entry.self)), number(entry.total, 'spare'), number(entry.calls, 'spare'), text(entry.growth || '–', 'spare'), text(entry.words));
}

function commitView(run)
{
    const [previous, next] = [runs[run.index - 1], runs[run.index + 1]];
    const step = (other, before, after) => other ? make('span', {}, before, commitAnchor(other), after) : null;
    const entries = [...run.entries].sort((l, r) => r.self - l.self);
    return [
        heading(run.label),
        make('p', {}, `Added ${run.date}; ${fullNumber(run.cost)} ${data.unit}${previous ? `, ${changeWords(previous.cost, run.cost)} against the previous commit` : ''}. `, run.page ? make('a', {href: run.page}, 'Open the report of this commit') : ''),
        make('p', {class: 'steps'}, step(previous, '← ', ''), step(next, '', ' →')),
        listTable('measured', headCells([['Routine', ''], ['Self %', 'Share of the run', 'number'], ['Self cost', '', 'number'], ['Change', 'Against the previous commit', 'number'], ['Inclusive', '', 'number spare'], ['Calls', '', 'number spare'], ['Growth', 'Worst case', 'spare'], ['Change point', 'Against the previous change point']]), entries, LIST_LINES, commitRow),
    ];
}

/* ---------------------------------------------------------------- Start */

function findings()
{
    const words = [`${runs.length} ${runs.length === 1 ? 'commit' : 'commits'}: cost ${shortNumber(runs[0].cost)} to ${shortNumber(newest.cost)} ${data.unit} (${changeWords(runs[0].cost, newest.cost)}).`];
    const run = runs.findLast((one) => one.mark);
    if (run) {
        const most = [...run.points].sort((l, r) => effect(r) - effect(l))[0];
        words.push(`Latest change of the cost: ${run.label}, ${changeWords(run.level, run.cost)}${most ? `; the routine that changed most is ${most.routine.brief} (${most.words})` : ''}.`);
    }
    if (data.omitted > 0)
        words.push(`${data.omitted} routines that never reach ${data.share} % of a run are omitted.`);
    return words.join(' ');
}

function show()
{
    const words = new URLSearchParams(location.hash.slice(1));
    const routine = byKey.get(words.get('r')), run = runs.find(({label}) => label === words.get('c'));
    shown = [];
    find('main').replaceChildren(...routine ? routineView(routine) : run ? commitView(run) : overview());
    chartsDraw();
    window.scrollTo(0, 0);
}

function start()
{
    find('title').textContent = document.title = data.title;
    find('facts').textContent = [data.workload, `change points: changes above ${data.threshold} %`].filter((fact) => fact !== data.title).join('  ·  ');
    find('findings').textContent = findings();
    show();
    window.addEventListener('hashchange', show);
    window.addEventListener('resize', chartsDraw);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
        palette.clear();
        chartsDraw();
    });
    performance.mark('aprof-ready');
}

start();
