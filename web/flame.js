/* A flame graph: who called whom, each frame as wide as its cost; callers above what they call.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * page_code.h has the frames; whether they were recorded or approximated is said above them. They are
 * drawn on a canvas, those that are at least a pixel wide. A click makes a frame as wide as the
 * picture; the search of the bar marks frames, and the filter by object pales what it leaves out.
 */
'use strict';

const FRAME_FIELDS = 4; /* caller + 1, routine, cost, self */
const FRAME_HEIGHT = 20, FRAME_LETTER = 6.7, FRAME_LEAST = 1;
const FLAME_BASES = [
    'Contexts as they were recorded.',
    'Approximated from calls: what a routine calls is taken to be the same in all of its frames. Profile with --contexts=full for what really was.',
    'This report has no callers and callees, so all routines are side by side.',
];

const flame = {frames: [], root: null, at: null, width: 0, made: -1};

/* Frames as objects, {up, routine, cost, self, below, x, level}, the dearest first in each level. */
function flameOpen(index)
{
    const {frames: {list, whole}, routines} = data.reports[index];
    const root = {up: null, number: 0, routine: -1, name: 'all', cost: whole, self: 0, below: [], x: 0, level: 0};
    const frames = [root];
    for (let at = 0; at < list.length; at += FRAME_FIELDS) {
        const up = frames[list[at]];
        const routine = list[at + 1];
        const frame = {up, number: frames.length, routine, name: routines[routine][0], cost: list[at + 2], self: list[at + 3], below: [], x: 0, level: up.level + 1};
        up.below.push(frame);
        frames.push(frame);
    }
    const known = root.below.reduce((sum, frame) => sum + frame.cost, 0);
    root.cost = Math.max(whole, known, 1);
    for (const frame of frames) {
        frame.below.sort((l, r) => r.cost - l.cost || (l.name < r.name ? -1 : 1));
        let x = frame.x;
        for (const inner of frame.below) {
            inner.x = x;
            x += inner.cost;
        }
    }
    flame.frames = frames;
    flame.made = index;
}

/* ---------------------------------------------------------------- Drawing */

/* The same name has the same colour in all pictures; the machine's code is paler. */
function frameColour(report, frame)
{
    if (frame.routine < 0)
        return colour('--line');
    let hash = 0;
    for (let i = 0; i < frame.name.length; i++)
        hash = (hash * 31 + frame.name.charCodeAt(i)) % 997;
    const foreign = report.foreign[report.routines[frame.routine][2]];
    const dark = matchMedia('(prefers-color-scheme: dark)').matches;
    const [hue, full, light] = foreign ? [205 + hash % 30, 25, dark ? 32 : 80] : [15 + hash % 40, 75, dark ? 38 : 68];
    return `hsl(${hue} ${full}% ${light + hash % 7}%)`;
}

/* The frames in sight, with their place: those around the root, and those in it. */
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
    const text = `${frame.name} ${report.routines[frame.routine][3]} ${report.objects[report.routines[frame.routine][2]]}`.toLowerCase();
    return words.every((word) => text.includes(word));
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
        context.fillText(frame.name.length <= letters ? frame.name : `${frame.name.slice(0, letters - 1)}…`, left + 4, top + FRAME_HEIGHT - 6);
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
    const report = data.reports[flame.made];
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

/* What lies in a marked frame is not counted again. */
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

function frameWords(frame)
{
    const whole = flame.frames[0].cost;
    const share = (cost) => `${sharePercent(percent(cost, whole))} %`;
    if (frame.routine < 0)
        return `${fullNumber(frame.cost)} ${data.reports[flame.made].cost} in all`;
    const within = flame.root.routine >= 0 && frame !== flame.root && frame.level > flame.root.level
        ? `, ${sharePercent(percent(frame.cost, flame.root.cost))} % of ${flame.root.name}` : '';
    return `${share(frame.cost)} of the total cost (${fullNumber(frame.cost)})${within}; self cost ${share(frame.self)}`;
}

function flameTell()
{
    const frame = flame.at || flame.root;
    const report = data.reports[flame.made];
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
    const rows = reportRows(flame.made, state.metric);
    const metric = data.reports[flame.made].metrics[state.metric];
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

/* With a routine open, it is the frame's. */
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
    flame.canvas = make('canvas', {tabindex: 0, role: 'application', 'aria-label': 'Flame graph: the arrows walk, Enter zooms, o opens the routine', onkeydown: flameKey});
    flame.scroll = make('div', {class: 'frames'}, flame.canvas);
    flame.canvas.addEventListener('pointermove', (event) => flamePoint(flameHit(event)));
    flame.canvas.addEventListener('pointerleave', () => flamePoint(null));
    flame.canvas.addEventListener('click', (event) => {
        const frame = flameHit(event);
        if (frame)
            flameZoom(frame);
    });
    find('flame').append(make('div', {class: 'above'}, flame.words, flame.found, flame.open, flame.all), flame.basis, flame.scroll);
    new ResizeObserver(() => {
        if (state.view === 'flame' && flame.scroll.clientWidth - 2 !== flame.width)
            flameDraw();
    }).observe(flame.scroll);
}

/* Takes the state: another report, root, search or filter. */
function flameUpdate()
{
    find('flame').hidden = state.view !== 'flame';
    find('table').hidden = state.view !== '';
    if (state.view !== 'flame')
        return;
    if (flame.made !== Number(state.a))
        flameOpen(Number(state.a));
    flame.root = flame.frames[Number(state.frame)] || flame.frames[0];
    if (flame.at && flame.frames[flame.at.number] !== flame.at)
        flame.at = null;
    flame.basis.textContent = FLAME_BASES[data.reports[flame.made].frames.basis];
    flameDraw();
}
