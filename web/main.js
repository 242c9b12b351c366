/* Connects the parts of the page: state, table, detail, the bar above, and the keyboard.
 * SPDX-License-Identifier: BSD-2-Clause
 */
'use strict';

const VIEWS = ['', 'flame', 'scale'];
const FLAME_STATE = ['view', 'frame', 'turn', 'fold', 'a', 'b', 'metric', 'q', 'object'];
const TABLE_STATE = ['view', 'a', 'b', 'metric', 'q', 'growth', 'object', 'startup', 'sort', 'up', 'logx', 'logy'];
const DETAIL_STATE = ['a', 'b', 'metric', 'r', 'tab', 'context', 'whole', 'show', 'fit', 'logx', 'logy', 'logcalls', 'per', 'zoom'];

/* The only function that changes the view; with `isStep`, the browser's Back button undoes the
 * change. */
function update(change, isStep = false)
{
    const changed = Object.keys(change).filter((name) => state[name] !== change[name]);
    if (changed.length === 0)
        return;
    Object.assign(state, change);
    if (!('context' in change) && ['a', 'b', 'r', 'metric'].some((name) => changed.includes(name)))
        state.context = '';
    stateWrite(isStep);
    show((names) => changed.some((name) => names.includes(name)));
    if (['q', 'sort', 'growth', 'object'].some((name) => changed.includes(name)))
        table.grid.scrollTop = 0;
}

function show(has)
{
    if (has(TABLE_STATE))
        tableUpdate();
    else
        tableMark();
    barUpdate();
    scaleUpdate();
    if (has(FLAME_STATE))
        flameUpdate();
    if (has(DETAIL_STATE))
        detailUpdate();
}

/* ---------------------------------------------------------------- The bar */

function options(select, choices)
{
    select.replaceChildren(...choices.map(([value, label]) => make('option', {value}, label)));
}

function barBuild()
{
    const names = data.reports.map((report, i) => [String(i), report.name]);
    options(find('a'), names);
    options(find('b'), [['', 'none'], ...names]);
    options(find('growth'), GROWTH_FILTERS);
    options(find('object'), objectFilters());
    options(find('metric'), [...new Set(data.reports.flatMap((report) => Object.keys(report.metrics)))].map((name) => [name, name]));
    document.querySelectorAll('.overlay').forEach((label) => {
        label.hidden = data.reports.length < 2;
    });
    for (const name of ['a', 'b', 'growth', 'object', 'metric'])
        find(name).addEventListener('change', (event) => update({[name]: event.target.value, zoom: '', ...(name === 'a' || name === 'b' ? {frame: ''} : {})}));
    for (const view of VIEWS)
        find(`view-${view || 'table'}`).addEventListener('click', () => update({view}, true));
    find('view-scale').hidden = !data.scale;
    find('search').addEventListener('input', (event) => update({q: event.target.value}));
    find('search').addEventListener('keydown', (event) => {
        if (event.key === 'ArrowDown' || event.key === 'Enter') {
            event.preventDefault();
            viewFocus();
        }
    });
    find('help').addEventListener('click', helpShow);
}

/* Touch screens have no tooltips, so the help also contains the meanings of the columns. */
function helpShow()
{
    find('meanings').replaceChildren(...tableAllColumns().flatMap((column) => [make('dt', {}, column.label), make('dd', {}, column.title)]));
    find('keys').showModal();
}

function barUpdate()
{
    for (const name of ['a', 'b', 'growth', 'object', 'metric'])
        find(name).value = state[name];
    for (const view of VIEWS)
        find(`view-${view || 'table'}`).setAttribute('aria-pressed', view === state.view);
    if (find('search').value !== state.q)
        find('search').value = state.q;
    document.body.classList.toggle('pair', state.b !== '');
    barFacts(data.reports[Number(state.a)]);
    barFindings();
    barAdvice();
    barWarning();
}

/* Shows the first lines of `aprof report`, or the largest changes of two reports. */
function barFindings()
{
    const report = data.reports[Number(state.a)];
    find('findings').textContent = state.b === '' ? report.findings.join(' ') : pairFindings(report, data.reports[Number(state.b)]);
}

/* Shows causes that hide much of the cost, and remedies. The list of causes is folded, because the
 * routines are more important. */
function barAdvice()
{
    const advice = state.b === '' ? data.reports[Number(state.a)].advice : [];
    const [summary, list] = find('advice').children;
    find('advice').hidden = advice.length === 0;
    summary.textContent = advice.length === 1 ? 'How to see more' : `How to see more (${advice.length})`;
    list.replaceChildren(...advice.map((sentence) => make('li', {}, sentence)));
}

function pairFindings(a, b)
{
    const changes = table.entries.map((entry) => ({name: entry.main.name, change: ownChange(entry)}));
    const most = changes.reduce((best, one) => one.change > best.change ? one : best, {change: 0});
    const least = changes.reduce((best, one) => one.change < best.change ? one : best, {change: 0});
    const ratio = a.totals.cost > 0 ? `, ${(b.totals.cost / a.totals.cost).toFixed(2)} times as much` : '';
    const words = [`● costs ${shortNumber(a.totals.cost)} ${a.cost}, ▲ ${shortNumber(b.totals.cost)}${ratio}.`];
    if (most.change > 0)
        words.push(`Largest rise of self cost: ${most.name}, by ${shortNumber(most.change)}.`);
    if (least.change < 0)
        words.push(`Largest fall: ${least.name}, by ${shortNumber(-least.change)}.`);
    return words.join(' ');
}

function barFacts(report)
{
    const {totals} = report;
    const induced = [[totals.thread, 'induced by threads'], [totals.external, 'external']]
        .map(([part, words]) => `${sharePercent(percent(part, totals.reads))} % ${words}`);
    const facts = [
        `process ${report.process}`, report.arch, `end: ${report.end}`,
        `${shortNumber(totals.cost)} ${report.cost} in ${shortNumber(totals.activations)} activations`,
        `input in ${report.resolution}-byte cells: ${induced.join(', ')}`, report.tool,
    ];
    const command = report.command.join(' ');
    find('title').textContent = data.title || command || 'aprof';
    find('facts').textContent = (data.title ? [command, ...facts] : facts).join('  ·  ');
    document.title = `${data.title || baseName(report.command[0] || '')} – aprof`;
}

function barWarning()
{
    const a = data.reports[Number(state.a)], b = state.b === '' ? a : data.reports[Number(state.b)];
    const words = [];
    if (a.cost !== b.cost)
        words.push(`costs are ${a.cost} in one report and ${b.cost} in the other`);
    if (a.resolution !== b.resolution)
        words.push(`cells have ${a.resolution} bytes in one report and ${b.resolution} in the other`);
    for (const report of new Set([a, b])) {
        if (!report.metrics[state.metric])
            words.push(`${report.name} has no ${state.metric} points`);
    }
    find('warning').hidden = words.length === 0;
    find('warning').textContent = `Careful: ${words.join('; ')}.`;
}

/* ---------------------------------------------------------------- Keyboard */

function escape()
{
    if (state.zoom !== '')
        update({zoom: ''});
    else if (state.context !== '')
        update({context: ''}, true);
    else if (state.view === 'flame' && state.frame !== '')
        flameZoom(flame.frames[0]);
    else if (state.r !== '')
        update({r: ''}, true);
    else
        update({q: '', growth: '', object: '', startup: ''});
    viewFocus();
}

function viewFocus()
{
    (state.view === 'flame' ? flame.canvas : table.grid).focus({preventScroll: true});
}

function flip(name)
{
    update({[name]: state[name] === '1' ? '' : '1', ...(name === 'fit' ? {} : {zoom: ''})});
}

const globalKeys = {
    '/': () => find('search').focus(),
    '?': helpShow,
    'x': () => flip('logx'),
    'y': () => flip('logy'),
    'f': () => flip('fit'),
    'g': () => {
        update({view: state.view === '' ? 'flame' : ''}, true);
        viewFocus();
    },
    'm': () => update({object: state.object === 'mine' ? '' : 'mine'}),
    '1': () => update({tab: ''}),
    '2': () => update({tab: 'calls'}),
    '3': () => update({tab: 'code'}),
};

function globalKey(event)
{
    const isTyping = event.target.matches('input[type=search], select, textarea');
    if (event.ctrlKey || event.altKey || event.metaKey || find('keys').open)
        return;
    if (event.key === 'Escape')
        escape();
    else if (!isTyping && Object.hasOwn(globalKeys, event.key))
        globalKeys[event.key]();
    else
        return;
    event.preventDefault();
}

/* ---------------------------------------------------------------- Start */

function readAddress()
{
    stateRead();
    show(() => true);
    if (state.r)
        tableScrollTo(table.active);
}

function start()
{
    if (data.reports.length === 0)
        return;
    barBuild();
    tableBuild();
    flameBuild();
    scaleBuild();
    detailBuild();
    readAddress();
    window.addEventListener('popstate', readAddress);
    window.addEventListener('keydown', globalKey);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
        palette.clear();
        show(() => true);
    });
    if (!document.activeElement || document.activeElement === document.body)
        viewFocus();
    performance.mark('aprof-ready');
}

start();
