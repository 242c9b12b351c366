/* A flame graph: the width of a frame is its cost, and callers are above callees.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * page_code.h describes the frames; a line above the graph states whether they were recorded or
 * approximated. Frames of at least one pixel are drawn on a canvas. A click makes a frame as wide as the
 * picture. The search marks frames, and the filter by object makes other frames pale.
 */
'use strict';

const FRAME_FIELDS = 4; /* caller + 1, routine, cost, self */
const FRAME_UNCHANGED = 0.0005; /* of the whole */
const FRAME_HEIGHT = 20, FRAME_LETTER = 6.7, FRAME_LEAST = 1;
const FLAME_OF_EDGES = 1; /* frames from edges, in which each routine occurs once on a path */
const FLAME_BASES = [
    'Recorded calling contexts.',
    'Approximated from calls: all frames of a routine have the same callees. Profile with --contexts=full for exact frames.',
    'This report has no callers and callees, so each routine has one frame.',
];

const INVERTED_DEPTH = 40; /* levels of callers that are shown below a routine */

const flame = {frames: [], root: null, at: null, width: 0, made: ''};

/* ---------------------------------------------------------------- Trees */

function flameNode(up, routine, name)
{
    return {up, routine, name, cost: 0, self: 0, before: 0, inner: new Map(), below: [], x: 0, level: up ? up.level + 1 : 0, number: 0};
}

/* A key that identifies a routine in another report. */
function flameKeyOf(report, routine)
{
    return rowKey(report, report.routines[routine], 0);
}

function flameBelow(report, node, routine)
{
    const key = flameKeyOf(report, routine);
    if (!node.inner.has(key))
        node.inner.set(key, flameNode(node, routine, routineName(report, routine)));
    return node.inner.get(key);
}

/* The frames' self costs, which include omitted callees: [{path, routine, cost}...]. */
function flameParts(report)
{
    const {frames: {list}} = report;
    const parts = [];
    for (let at = 0; at < list.length; at += FRAME_FIELDS)
        parts.push({up: list[at] ? parts[list[at] - 1] : null, routine: list[at + 1], self: list[at + 3], own: list[at + 2]});
    parts.forEach((part, i) => {
        if (part.up)
            part.up.own -= list[i * FRAME_FIELDS + 2];
    });
    return parts;
}

/* Finds the frame of a caller that is already on the path, if recursion is folded. */
function flamePending(report, node, routine)
{
    const key = flameKeyOf(report, routine);
    for (let at = node; at.up; at = at.up) {
        if (flameKeyOf(report, at.routine) === key)
            return at;
    }
    return null;
}

function flameAddCost(node, cost, field)
{
    for (let at = node; at; at = at.up)
        at[field] += cost;
}

/* Adds a report's frames to a tree, as costs or as costs of the base report. */
function flameAddUpright(report, root, field)
{
    const nodes = new Map([[null, root]]);
    for (const part of flameParts(report)) {
        const up = nodes.get(part.up);
        const node = state.fold === '1' && flamePending(report, up, part.routine) || flameBelow(report, up, part.routine);
        nodes.set(part, node);
        flameAddCost(node, Math.max(part.own, 0), field);
        if (field === 'cost')
            node.self += part.self;
    }
}

/* Makes a tree with routines first, then their callers. */
function flameAddInverted(report, root, field)
{
    for (const part of flameParts(report)) {
        let node = root;
        const cost = Math.max(part.own, 0);
        for (let at = part; cost > 0 && at && node.level < INVERTED_DEPTH; at = at.up)
            node = state.fold === '1' && flamePending(report, node, at.routine) || flameBelow(report, node, at.routine);
        flameAddCost(node, cost, field);
        node.self += field === 'cost' && node.level === 1 ? cost : 0;
    }
}

/* With a second report, frames have the widths of the second report, and are compared with the
 * first. */
function flameReport()
{
    return data.reports[Number(state.b === '' ? state.a : state.b)];
}

function flameOpen()
{
    const report = flameReport();
    const add = state.turn === '1' ? flameAddInverted : flameAddUpright;
    const root = flameNode(null, -1, 'all');
    add(report, root, 'cost');
    if (state.b !== '')
        add(data.reports[Number(state.a)], root, 'before');
    root.cost = Math.max(root.cost, report.frames.whole, 1);
    root.before = Math.max(root.before, state.b === '' ? 0 : data.reports[Number(state.a)].frames.whole);
    flame.frames = [];
    flamePlace(root);
}

/* Numbers the frames that have a cost, the most expensive first in each level, and sets the
 * position of each frame. */
function flamePlace(root)
{
    const waiting = [root];
    while (waiting.length > 0) {
        const frame = waiting.pop();
        frame.number = flame.frames.length;
        flame.frames.push(frame);
        frame.below = [...frame.inner.values()].filter((inner) => inner.cost > 0).sort((l, r) => r.cost - l.cost || (l.name < r.name ? -1 : 1));
        let x = frame.x;
        for (const inner of frame.below) {
            inner.x = x;
            x += inner.cost;
        }
        waiting.push(...frame.below.slice().reverse());
    }
}

/* ---------------------------------------------------------------- Drawing */

/* A name has one colour in all pictures; system code is paler. */
function frameColour(report, frame)
{
    if (frame.routine < 0)
        return colour('--line');
    if (state.b !== '')
        return frameChangeColour(frame);
    let hash = 0;
    for (let i = 0; i < frame.name.length; i++)
        hash = (hash * 31 + frame.name.charCodeAt(i)) % 997;
    const foreign = report.foreign[report.routines[frame.routine][2]];
    const dark = matchMedia('(prefers-color-scheme: dark)').matches;
    const [hue, full, light] = foreign ? [205 + hash % 30, 25, dark ? 32 : 80] : [15 + hash % 40, 75, dark ? 38 : 68];
    return `hsl(${hue} ${full}% ${light + hash % 7}%)`;
}

/* Red frames cost more than before, blue frames less, grey frames the same. Colours are stronger
 * for larger changes. */
function frameChangeColour(frame)
{
    const part = (frame.cost - frame.before) / Math.max(flame.frames[0].cost, flame.frames[0].before);
    const strength = Math.min(1, Math.sqrt(Math.abs(part) * 4));
    const dark = matchMedia('(prefers-color-scheme: dark)').matches;
    const light = dark ? 30 + 15 * strength : 88 - 28 * strength;
    return Math.abs(part) < FRAME_UNCHANGED ? `hsl(0 0% ${dark ? 32 : 88}%)` : `hsl(${part > 0 ? 8 : 215} ${20 + 65 * strength}% ${light}%)`;
}

/* The visible frames with their positions: frames around the root, and frames inside the root. */
function flameLayout()
{
    const {root, width} = flame;
    const placed = [];
    for (let frame = root.up; frame; frame = frame.up)
        placed.push({frame, left: 0, wide: width, isAround: true});
    const scale = width / root.cost;
    const waiting = [root];
    while (waiting.length > 0) {
        const frame = waiting.pop();
        placed.push({frame, left: (frame.x - root.x) * scale, wide: Math.min(frame.cost * scale, width), isAround: false});
        for (const inner of frame.below) {
            if (inner.cost * scale >= FRAME_LEAST)
                waiting.push(inner);
        }
    }
    return placed;
}

function frameIsMarked(words, report, frame)
{
    if (words.length === 0 || frame.routine < 0)
        return false;
    const text = `${report.routines[frame.routine][0]} ${frame.name} ${report.routines[frame.routine][3]} ${report.objects[report.routines[frame.routine][2]]}`.toLowerCase();
    return words.every((word) => text.includes(word));
}

/* The longest short name that has at most so many letters, or the beginning of the shortest name. */
function frameLabel(report, frame, letters)
{
    const shorter = frame.routine < 0 ? [] : report.routines[frame.routine].slice(8).filter(Boolean);
    const names = [frame.name, ...shorter], last = names[names.length - 1];
    return names.find((name) => name.length <= letters) || `${last.slice(0, letters - 1)}…`;
}

function frameDraw(context, {frame, left, wide, isAround}, report, words)
{
    const top = frame.level * FRAME_HEIGHT;
    const marked = frameIsMarked(words, report, frame);
    const pale = isAround || frame.routine >= 0 && !objectPasses(report, report.routines[frame.routine][2]);
    context.globalAlpha = pale ? 0.35 : 1;
    context.fillStyle = marked ? colour('--fourth') : frameColour(report, frame);
    context.fillRect(left, top, Math.max(wide - 0.6, 0.6), FRAME_HEIGHT - 1);
    context.globalAlpha = pale ? 0.7 : 1;
    const letters = Math.floor((wide - 8) / FRAME_LETTER);
    if (letters >= 3) {
        context.fillStyle = marked && !pale ? colour('--page') : colour('--text');
        context.fillText(frameLabel(report, frame, letters), left + 4, top + FRAME_HEIGHT - 6);
    }
    context.globalAlpha = 1;
    if (frame === flame.at) {
        context.strokeStyle = colour('--text');
        context.lineWidth = 1.5;
        context.strokeRect(left + 0.75, top + 0.75, Math.max(wide - 2, 0.5), FRAME_HEIGHT - 2.5);
    }
}

function flameDraw()
{
    const ratio = window.devicePixelRatio || 1;
    const report = flameReport();
    const words = searchWords();
    flame.width = Math.max(280, flame.scroll.clientWidth - 2);
    flame.placed = flameLayout();
    const levels = flame.placed.reduce((most, {frame}) => Math.max(most, frame.level), 0) + 1;
    flame.canvas.width = flame.width * ratio;
    flame.canvas.height = levels * FRAME_HEIGHT * ratio;
    flame.canvas.style.width = `${flame.width}px`;
    flame.canvas.style.height = `${levels * FRAME_HEIGHT}px`;
    const context = flame.canvas.getContext('2d');
    context.scale(ratio, ratio);
    context.font = '11.5px ui-monospace, "DejaVu Sans Mono", monospace';
    for (const place of flame.placed)
        frameDraw(context, place, report, words);
    flame.canvas.dataset.frames = flame.placed.length;
    flameTell();
}

/* ---------------------------------------------------------------- Words */

/* The cost of frames inside a marked frame is not counted again. */
function flameFound(report, words)
{
    let sum = 0;
    const waiting = [flame.root];
    while (waiting.length > 0) {
        const frame = waiting.pop();
        if (frameIsMarked(words, report, frame))
            sum += frame.cost;
        else
            waiting.push(...frame.below);
    }
    return `${sharePercent(percent(sum, flame.root.cost))} % found`;
}

function frameBeforeWords(frame)
{
    if (state.b === '')
        return '';
    const change = frame.before > 0 ? `, ${(frame.cost / frame.before).toFixed(2)} times as much` : '';
    return `; ● ${fullNumber(frame.before)}, ▲ ${fullNumber(frame.cost)}${change}`;
}

function frameWords(frame)
{
    const whole = flame.frames[0].cost;
    const share = (cost) => `${sharePercent(percent(cost, whole))} %`;
    if (frame.routine < 0)
        return `${fullNumber(frame.cost)} ${flameReport().cost} in all${frameBeforeWords(frame)}`;
    const within = flame.root.routine >= 0 && frame !== flame.root && frame.level > flame.root.level
        ? `, ${sharePercent(percent(frame.cost, flame.root.cost))} % of ${flame.root.name}` : '';
    return `${share(frame.cost)} of the total cost (${fullNumber(frame.cost)})${within}; self cost ${share(frame.self)}${frameBeforeWords(frame)}`;
}

function flameTell()
{
    const frame = flame.at || flame.root;
    const report = flameReport();
    const words = searchWords();
    const key = frame.routine < 0 ? null : frameKey(frame);
    flame.words.replaceChildren(make('b', {}, frame.name), ` ${frameWords(frame)}`);
    flame.open.disabled = !key;
    flame.open.onclick = () => tableGo(key);
    flame.all.disabled = !flame.root.up;
    flame.found.textContent = words.length > 0 ? flameFound(report, words) : '';
}

function frameKey(frame)
{
    const report = flameReport();
    const rows = reportRows(data.reports.indexOf(report), state.metric);
    const metric = report.metrics[state.metric];
    const at = metric && metric.byRoutine.get(frame.routine);
    return at ? rows[at[0]].key : null;
}

/* ---------------------------------------------------------------- Mouse and keyboard */

function flameHit(event)
{
    const box = flame.canvas.getBoundingClientRect();
    const x = event.clientX - box.left, level = Math.floor((event.clientY - box.top) / FRAME_HEIGHT);
    const hit = flame.placed.find(({frame, left, wide}) => frame.level === level && x >= left && x < Math.max(left + wide, left + 1));
    return hit ? hit.frame : null;
}

/* If a routine is open, the frame's routine is opened instead. */
function flameZoom(frame)
{
    flame.at = frame;
    const key = state.r !== '' && frame.routine >= 0 ? frameKey(frame) : null;
    update({frame: frame.number ? String(frame.number) : '', ...key ? {r: key, zoom: ''} : {}}, true);
}

function flamePoint(frame)
{
    if (frame === flame.at)
        return;
    flame.at = frame;
    flameDraw();
}

function frameBeside(frame, step)
{
    const row = frame.up ? frame.up.below : [frame];
    return row[row.indexOf(frame) + step] || frame;
}

function flameKey(event)
{
    const frame = flame.at || flame.root;
    const moves = {
        ArrowUp: () => frame.up || frame, ArrowDown: () => frame.below[0] || frame,
        ArrowLeft: () => frameBeside(frame, -1), ArrowRight: () => frameBeside(frame, 1),
    };
    if (event.altKey || event.ctrlKey || event.metaKey)
        return;
    if (Object.hasOwn(moves, event.key)) {
        flamePoint(moves[event.key]());
        find('live').textContent = `${flame.at.name}: ${frameWords(flame.at)}`;
    } else if (event.key === 'Enter') {
        flameZoom(frame);
    } else if (event.key === 'o' && frame.routine >= 0 && frameKey(frame)) {
        tableGo(frameKey(frame));
    } else {
        return;
    }
    event.preventDefault();
}

/* ---------------------------------------------------------------- Building */

function flameBuild()
{
    flame.words = make('p', {class: 'words'});
    flame.found = make('span', {class: 'found', role: 'status'});
    flame.open = make('button', {type: 'button', title: 'key o'}, 'Open routine');
    flame.all = make('button', {type: 'button', title: 'Esc', onclick: () => flameZoom(flame.frames[0])}, 'Show all');
    flame.basis = make('p', {class: 'quiet'});
    flame.turn = make('input', {type: 'checkbox', 'data-switch': 'inverted', onchange: () => update({turn: flame.turn.checked ? '1' : '', frame: ''})});
    flame.fold = make('input', {type: 'checkbox', 'data-switch': 'fold recursion', onchange: () => update({fold: flame.fold.checked ? '1' : '', frame: ''})});
    const switches = make('span', {class: 'switches'}, make('label', {title: 'Routines at the top, their callers below them'}, flame.turn, 'inverted'),
                          make('label', {title: 'Recursive calls are part of the routine’s first frame'}, flame.fold, 'fold recursion'));
    flame.canvas = make('canvas', {tabindex: 0, role: 'application', 'aria-label': 'Flame graph: arrow keys move, Enter zooms, o opens the routine', onkeydown: flameKey});
    flame.scroll = make('div', {class: 'frames'}, flame.canvas);
    flame.canvas.addEventListener('pointermove', (event) => flamePoint(flameHit(event)));
    flame.canvas.addEventListener('pointerleave', () => flamePoint(null));
    flame.canvas.addEventListener('click', (event) => {
        const frame = flameHit(event);
        if (frame)
            flameZoom(frame);
    });
    find('flame').append(make('div', {class: 'above'}, flame.words, flame.found, switches, flame.open, flame.all), flame.basis, flame.scroll);
    new ResizeObserver(() => {
        if (state.view === 'flame' && flame.scroll.clientWidth - 2 !== flame.width)
            flameDraw();
    }).observe(flame.scroll);
}

/* Applies the state: another report, root, search or filter. */
function flameUpdate()
{
    find('flame').hidden = state.view !== 'flame';
    find('table').hidden = state.view !== '';
    if (state.view !== 'flame')
        return;
    const made = `${state.a} ${state.b} ${state.turn} ${state.fold}`;
    if (flame.made !== made)
        flameOpen();
    flame.made = made;
    flame.root = flame.frames[Number(state.frame)] || flame.frames[0];
    if (flame.at && flame.frames[flame.at.number] !== flame.at)
        flame.at = null;
    const {basis} = flameReport().frames;
    flame.basis.textContent = FLAME_BASES[basis] + (state.b === '' ? '' : ' As wide as in ▲; red costs more than in ●, blue less. Frames that only ● has appear if you exchange the reports.');
    flame.turn.checked = state.turn === '1';
    flame.fold.checked = state.fold === '1';
    flame.fold.parentNode.hidden = basis === FLAME_OF_EDGES;
    flameDraw();
}
