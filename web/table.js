/* The table of routines, filtered and sorted, with elements only for visible rows.
 * SPDX-License-Identifier: BSD-2-Clause
 */
'use strict';

const ROW_HEIGHT = 36, ROWS_SPARE = 6; /* as in style.css */
const ROWS_PRINTED = 100;
const NAME_FONT = '12.5px ui-monospace, "DejaVu Sans Mono", monospace'; /* as in style.css */
const INLINED_OFFERED = 8;

const GROWTH_FILTERS = [
    ['', 'any growth', () => true],
    ['n', 'n and more', (rank) => rank >= data.classes.indexOf('n')],
    ['above', 'more than n', (rank) => rank > data.classes.indexOf('n')],
    ['n2', 'n^2 and more', (rank) => rank >= data.classes.indexOf('n^2')],
    ['known', 'known', (rank) => rank >= 0],
    ['unknown', 'not known', (rank) => rank < 0],
];

/* The choices "all", "mine" and each object by name, the program's own objects first. */
function objectFilters()
{
    const names = new Map();
    for (const report of data.reports) {
        report.objects.forEach((path, i) => {
            const name = baseName(path);
            if (name)
                names.set(name, names.get(name) !== false && report.foreign[i]);
        });
    }
    const sorted = [...names.keys()].sort((l, r) => names.get(l) - names.get(r) || (l < r ? -1 : 1));
    return [['', 'any object'], ['mine', 'mine'], ...sorted.map((name) => [`/${name}`, name])];
}

function objectPasses(report, object)
{
    if (state.object === '')
        return true;
    return state.object === 'mine' ? !report.foreign[object] : `/${baseName(report.objects[object])}` === state.object;
}

function searchWords()
{
    return state.q.toLowerCase().split(/\s+/).filter(Boolean);
}

const table = {
    entries: [],     /* all, in no order */
    shown: [],       /* entries that pass the filter, sorted */
    columns: [],
    active: 0,       /* row that the keyboard moves */
    pool: [],        /* {element, index} of the rows that have elements */
    made: '',        /* reports and metric of `entries` */
    width: 0,        /* width for which the columns were chosen */
    isPrinting: false,
};

function tableBuild()
{
    table.head = make('div', {class: 'head', role: 'row'});
    table.space = make('div', {class: 'space', role: 'rowgroup'});
    table.grid = make('div', {class: 'grid', role: 'grid', tabindex: 0, 'aria-label': 'Routines', onkeydown: tableKey},
                      make('div', {role: 'rowgroup', class: 'top'}, table.head), table.space);
    table.grid.addEventListener('scroll', tableDrawRows, {passive: true});
    table.space.addEventListener('click', (event) => {
        const row = event.target.closest('.row');
        if (row)
            tableOpen(Number(row.dataset.index));
    });
    table.nothing = make('div', {class: 'nothing', hidden: true});
    table.grid.append(table.nothing);
    find('table').append(table.grid);
    window.addEventListener('beforeprint', () => tablePrint(true));
    window.addEventListener('afterprint', () => tablePrint(false));
    new ResizeObserver(tableResize).observe(table.grid);
}

/* ---------------------------------------------------------------- Filter and order */

function tableMatches(words, filter)
{
    return (entry) => words.every((word) => entry.main.search.includes(word)) &&
        objectPasses(data.reports[entry.main.report], entry.main.objectNumber) &&
        filter(Math.max(entry.a ? entry.a.worstRank : -1, entry.b ? entry.b.worstRank : -1));
}

function growthChanged({a, b})
{
    return a !== null && b !== null && a.averageWords !== b.averageWords;
}

/* Order of equal keys: routines whose growth has changed come first, then the most expensive
 * routines. */
function tableSorted(entries, column, up)
{
    const sign = up ? 1 : -1;
    const order = column.text
        ? (l, r) => -sign * (l.text < r.text ? -1 : l.text > r.text ? 1 : 0)
        : (l, r) => sign * (l.value < r.value ? -1 : l.value > r.value ? 1 : 0) || r.tie - l.tie;
    return entries
        .map((entry) => ({entry, tie: (growthChanged(entry) ? Number.MAX_SAFE_INTEGER : 0) + entry.main.total, text: column.text && column.text(entry), value: column.value && column.value(entry)}))
        .sort(order)
        .map((ranked) => ranked.entry);
}

/* Start-up code, which runs before main in every program, is one row until it is opened, as in `aprof report`. */
function startupIsFolded()
{
    return state.q === '' && state.object === '' && state.growth === '' && state.startup === '';
}

function startupRow(rows)
{
    const [first] = rows;
    const row = {...first, name: data.startup, narrower: [], place: `${fullNumber(rows.length)} routines`, key: '', thread: 0, points: 0, curves: [],
                 worstWords: '', averageWords: '', worstRank: -4, averageRank: -4};
    for (const name of ['calls', 'self', 'selfShare', 'input', 'inputShare'])
        row[name] = rows.reduce((sum, one) => sum + one[name], 0);
    for (const name of ['inputMax', 'worst'])
        row[name] = rows.reduce((most, one) => Math.max(most, one[name]), 0);
    row.total = row.totalShare = row.threadShare = row.externalShare = null; /* their costs would count twice */
    return row;
}

function startupFold(entries)
{
    const folded = entries.filter((entry) => entry.main.isStartup && !entry.main.thread);
    const rows = (side) => folded.map((entry) => entry[side]).filter(Boolean);
    const [a, b] = [rows('a'), rows('b')].map((side) => side.length > 0 ? startupRow(side) : null);
    if (folded.length < 2)
        return entries;
    return [...entries.filter((entry) => !folded.includes(entry)), {key: '', a, b, main: a || b}];
}

function tableAllColumns()
{
    return state.b === '' ? singleColumns : pairColumns;
}

function tableSortColumn()
{
    const sortable = tableAllColumns().filter((column) => column.value || column.text);
    return sortable.find((column) => column.id === state.sort) || sortable.find((column) => column.id === (state.b === '' ? 'self' : 'change'));
}

/* Applies the state: another report, search or order. The open routine remains the active
 * routine. */
function tableUpdate()
{
    const made = `${state.a} ${state.b} ${state.metric}`;
    if (table.made !== made) {
        table.entries = entriesMake(Number(state.a), state.b === '' ? -1 : Number(state.b), state.metric);
        table.made = made;
    }
    const words = searchWords();
    const filter = (GROWTH_FILTERS.find(([id]) => id === state.growth) || GROWTH_FILTERS[0])[2];
    const passing = table.entries.filter(tableMatches(words, filter));
    table.shown = tableSorted(startupIsFolded() ? startupFold(passing) : passing, tableSortColumn(), state.up === '1');
    table.active = state.r === '' ? 0 : Math.max(0, table.shown.findIndex((entry) => entry.key === state.r));
    find('count').textContent = passing.length === table.entries.length
        ? `${fullNumber(passing.length)} routines`
        : `${fullNumber(passing.length)} of ${fullNumber(table.entries.length)} routines`;
    tableTellNothing(words);
    tableLayout();
}

/* The search also finds inlined functions, and then shows the routine that contains them. */
function inlinedFound(words)
{
    const report = data.reports[Number(state.a)];
    const found = new Map();
    for (const group of report.lines) {
        const names = inlinedChain(report, group[1]).map((at) => inlinedName(report, at));
        const name = names.find((one) => words.every((word) => one.toLowerCase().includes(word)));
        if (!name)
            continue;
        const key = `${name} ${group[0]}`;
        const known = found.get(key) || {name, routine: group[0], cost: 0};
        for (let i = 4; i < group.length; i += 2)
            known.cost += group[i];
        found.set(key, known);
    }
    return [...found.values()].sort((l, r) => r.cost - l.cost).slice(0, INLINED_OFFERED);
}

function inlinedOffer({name, routine, cost})
{
    const report = data.reports[Number(state.a)];
    const row = rowOfRoutine({report: Number(state.a), metric: state.metric, thread: 0}, routine);
    return make('li', {}, make('b', {}, name), ` is inlined in `, routineLink(row, row ? row.name : routineName(report, routine)),
                `: ${sharePercent(percent(cost, report.totals.cost))} % of the total cost`);
}

function tableTellNothing(words)
{
    const isEmpty = table.shown.length === 0;
    const offers = isEmpty && words.length > 0 ? inlinedFound(words) : [];
    table.nothing.hidden = !isEmpty;
    if (isEmpty)
        table.nothing.replaceChildren(make('p', {}, 'No routine matches.'), make('ul', {}, ...offers.map(inlinedOffer)));
}

/* The entry of a routine; for an inlined function, the entry of the routine that contains it. */
function tableEntry(key)
{
    const entry = table.entries.find((one) => one.key === key) || null;
    return entry && entry.whole || entry;
}

/* ---------------------------------------------------------------- Drawing */

function tableResize()
{
    if (table.grid.clientWidth !== table.width)
        tableLayout();
    else
        tableDrawRows();
}

/* A printed page has the first rows, a screen has all rows. */
function tableRows()
{
    return table.isPrinting ? Math.min(table.shown.length, ROWS_PRINTED) : table.shown.length;
}

function tablePrint(isPrinting)
{
    table.isPrinting = isPrinting;
    tableLayout();
    find('advice').open = isPrinting;
}

function tableLayout()
{
    table.width = table.grid.clientWidth;
    const columns = columnsFitting(tableAllColumns(), table.width - 2, tableSortColumn().id);
    const rest = columns.slice(1).map((column) => `${column.width}px`).join(' ');
    table.columns = columns;
    table.grid.style.setProperty('--columns', `minmax(${columnWidth(nameColumn, table.width)}px, 1fr) ${rest}`);
    table.grid.setAttribute('aria-rowcount', table.shown.length + 1);
    table.grid.setAttribute('aria-colcount', columns.length);
    table.space.style.height = `${tableRows() * ROW_HEIGHT}px`;
    tableDrawHead();
    table.letters = tableLetters();
    table.space.replaceChildren();
    table.pool = [];
    thumbnailQueue.clear();
    tableDrawRows();
}

/* The number of letters that fit into the column of names. */
function tableLetters()
{
    const cell = table.head.firstChild, {paddingLeft, paddingRight} = getComputedStyle(cell);
    const context = document.createElement('canvas').getContext('2d');
    context.font = NAME_FONT;
    return Math.floor((cell.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight)) / context.measureText('0').width);
}

function tableDrawHead()
{
    const sorted = tableSortColumn();
    const cells = table.columns.map((column) => {
        const order = column === sorted ? (state.up === '1') !== Boolean(column.text) ? 'ascending' : 'descending' : 'none';
        const can = Boolean(column.value || column.text);
        const words = [make('span', {}, column.label), make('small', {}, columnHint(column))];
        const label = make(can ? 'button' : 'div', can ? {type: 'button', tabindex: -1, onclick: () => tableSortBy(column)} : {}, ...words);
        return make('div', {class: column.className, role: 'columnheader', title: column.title, 'data-column': column.id,
                            'aria-sort': can ? order : null}, label);
    });
    table.head.replaceChildren(...cells);
}

function tableSortBy(column)
{
    const again = tableSortColumn() === column;
    update({sort: column.id, up: again && state.up === '' ? '1' : ''});
}

function tableMakeRow()
{
    const cells = table.columns.map((column) => make('div', {class: column.className, role: 'gridcell'}));
    const element = make('div', {class: 'row', role: 'row'}, ...cells);
    table.space.append(element);
    return {element, index: -1};
}

function tableFillRow(row, index)
{
    const entry = table.shown[index];
    row.index = index;
    row.element.id = `row-${index}`;
    row.element.dataset.index = index;
    row.element.setAttribute('aria-rowindex', index + 2);
    row.element.style.transform = `translateY(${index * ROW_HEIGHT}px)`;
    table.columns.forEach((column, i) => column.fill(row.element.children[i], entry));
}

/* A row keeps its element while it is visible; elements of other rows are reused for new rows. */
function tableDrawRows()
{
    const top = table.isPrinting ? 0 : table.grid.scrollTop;
    const first = Math.max(0, Math.floor(top / ROW_HEIGHT) - ROWS_SPARE);
    const visible = Math.ceil(table.grid.clientHeight / ROW_HEIGHT) + 2 * ROWS_SPARE;
    const last = Math.min(tableRows(), table.isPrinting ? ROWS_PRINTED : first + visible);
    const has = new Set(table.pool.map((row) => row.index));
    const idle = table.pool.filter((row) => row.index < first || row.index >= last);
    for (let index = first; index < last; index++) {
        if (has.has(index))
            continue;
        let row = idle.pop();
        if (!row)
            table.pool.push(row = tableMakeRow());
        tableFillRow(row, index);
    }
    tableMark();
}

function tableMark()
{
    for (const {element, index} of table.pool) {
        const entry = table.shown[index];
        element.classList.toggle('active', index === table.active);
        element.classList.toggle('open', Boolean(entry) && state.r !== '' && entry.key === state.r);
        element.setAttribute('aria-selected', Boolean(entry) && entry.key === state.r);
    }
    table.grid.setAttribute('aria-activedescendant', `row-${table.active}`);
}

/* ---------------------------------------------------------------- Keyboard */

function tableScrollTo(index)
{
    const top = index * ROW_HEIGHT;
    const visible = table.grid.clientHeight - table.head.offsetHeight;
    if (top < table.grid.scrollTop)
        table.grid.scrollTop = top;
    else if (top + ROW_HEIGHT > table.grid.scrollTop + visible)
        table.grid.scrollTop = top + ROW_HEIGHT - visible;
}

function tableOpen(index)
{
    table.active = index;
    if (table.shown[index].key === '')
        update({startup: '1'}, true);
    else
        update({r: table.shown[index].key, zoom: ''}, true);
}

/* Opens a routine from another view, even if the filter hides it. */
function tableGo(key)
{
    const at = table.shown.findIndex((entry) => entry.key === key);
    if (at >= 0) {
        table.active = at;
        tableScrollTo(at);
    }
    update({r: key, zoom: ''}, true);
    detail.title.focus({preventScroll: true});
}

/* If a routine is open, a move opens the next routine instead. */
function tableMoveTo(index)
{
    table.active = Math.min(Math.max(index, 0), table.shown.length - 1);
    tableScrollTo(table.active);
    if (state.r && table.shown[table.active].key)
        update({r: table.shown[table.active].key, zoom: ''});
    tableDrawRows();
}

function tableKey(event)
{
    const page = Math.max(1, Math.floor(table.grid.clientHeight / ROW_HEIGHT) - 2);
    const moves = {ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity};
    if (table.shown.length === 0 || event.altKey || event.ctrlKey || event.metaKey)
        return;
    if (event.key in moves)
        tableMoveTo(table.active + moves[event.key]);
    else if (event.key === 'Enter')
        tableOpen(table.active);
    else
        return;
    event.preventDefault();
}
