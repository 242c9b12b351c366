// Redraws a flame graph in a browser: zoom, search, inversion, folded recursion, calls of one routine.
// SPDX-License-Identifier: BSD-2-Clause
//
// contexts_flame.c puts this script into the picture, after the object `flame`, which has the tree
// as recorded and the sizes of the picture. Each picture that this script draws equals the picture
// that `aprof flamegraph` draws with the same options (tests/web/flamegraph.mjs). Numbers of
// routines are in the order of their names.
(() => {
'use strict';

const FIELDS = 4; // parent, routine, own cost, own cost in the base
const svg = document.documentElement;
const part = (id) => document.getElementById(id);
const state = {inverted: flame.inverted, folded: flame.folded, focus: 0, pattern: null};
let root = null, zoomed = null, levelsOfAll = 1;

// ---------------------------------------------------------------- Trees

const leastOf = (cost) => Math.floor(flame.least * cost) + 1;

function makeNode(nodes, up, routine)
{
    const node = {up, routine, level: up ? up.level + 1 : 0, cost: 0, before: 0, x: 0, inner: new Map(), below: []};
    nodes.push(node);
    return node;
}

function below(nodes, node, routine)
{
    if (!node.inner.has(routine))
        node.inner.set(routine, makeNode(nodes, node, routine));
    return node.inner.get(routine);
}

// Returns the frame of the routine on the path to the node, or null.
function pending(node, routine)
{
    while (node.up && node.routine !== routine)
        node = node.up;
    return node.up ? node : null;
}

// Adds the contexts, parents first. Returns the nodes with their own costs; the first is the root.
function upright()
{
    const nodes = [], places = [];
    makeNode(nodes, null, 0);
    for (let i = 0; i < flame.tree.length / FIELDS; i++) {
        const [parent, routine, own, before] = flame.tree.slice(i * FIELDS, (i + 1) * FIELDS);
        const up = i > 0 && places[parent] || (state.focus === (i > 0 ? routine : 0) ? nodes[0] : null);
        const place = i > 0 && up ? state.folded && pending(up, routine) || below(nodes, up, routine) : up;
        places.push(place);
        if (place) {
            place.cost += own;
            place.before += before;
        }
    }
    return nodes;
}

function addUp(nodes)
{
    for (let i = nodes.length - 1; i > 0; i--) {
        nodes[i].up.cost += nodes[i].cost;
        nodes[i].up.before += nodes[i].before;
    }
}

// Makes the tree of routines and their callers, level by level, from nodes with their own costs.
function invert(from)
{
    const nodes = [], top = makeNode(nodes, null, 0);
    for (const {cost, before} of from) {
        top.cost += cost;
        top.before += before;
    }
    let climbers = from.slice(1).filter(({cost, before}) => cost > 0 || before > 0)
        .map((at) => ({at, node: top, cost: at.cost, before: at.before}));
    for (let level = 0; level < flame.depth && climbers.length > 0; level++) {
        for (const climber of climbers) {
            climber.node = below(nodes, climber.node, climber.at.routine);
            climber.node.cost += climber.cost;
            climber.node.before += climber.before;
            climber.at = climber.at.up;
        }
        climbers = climbers.filter(({at, node}) => at.up && node.cost >= leastOf(top.cost));
    }
    return top;
}

// Sorts the frames of each level by name. The left part of a frame is its own cost.
function place(top)
{
    const waiting = [top];
    while (waiting.length > 0) {
        const node = waiting.pop();
        node.below = [...node.inner.values()].filter(({cost}) => !state.inverted || cost >= leastOf(top.cost))
            .sort((l, r) => l.routine - r.routine);
        node.own = node.below.reduce((rest, {cost}) => rest - cost, node.cost);
        let x = node.x + node.own;
        for (const inner of node.below) {
            inner.x = x;
            x += inner.cost;
        }
        waiting.push(...node.below);
    }
}

function build()
{
    const nodes = upright();
    if (state.inverted && flame.switches) {
        root = invert(nodes);
    } else {
        addUp(nodes);
        root = nodes[0];
    }
    place(root);
    zoomed = root;
    levelsOfAll = 1;
    draw();
}

// ---------------------------------------------------------------- Drawing

// The frames around the zoomed frame, and the frames inside it.
function visible()
{
    const frames = [], waiting = [zoomed];
    for (let node = zoomed.up; node; node = node.up)
        frames.push({node, left: 0, wide: 1});
    while (waiting.length > 0) {
        const node = waiting.pop();
        frames.push({node, left: (node.x - zoomed.x) / zoomed.cost, wide: node.cost / zoomed.cost});
        waiting.push(...node.below.filter(({cost, level}) => cost >= leastOf(zoomed.cost) && level < flame.depth).reverse());
    }
    return frames;
}

const blend = (from, to, share) => Math.floor(from + share * (to - from) + 0.5);

function colour(node)
{
    if (!flame.compared)
        return flame.colours[node.routine];
    const share = (node.cost - node.before) / Math.max(root.cost, root.before);
    const strength = Math.abs(share) < flame.unchanged ? 0 : 0.2 + 0.8 * Math.sqrt(Math.min(1, Math.abs(share)));
    const [red, green, blue] = share > 0 ? [230, 60, 40] : [50, 110, 230];
    return blend(flame.grey, red, strength) << 16 | blend(flame.grey, green, strength) << 8 | blend(flame.grey, blue, strength);
}

function words(node)
{
    const base = flame.compared ? `; base ${node.before}${node.before > 0 ? `, x${(node.cost / node.before).toFixed(2)}` : ''}` : '';
    const own = !state.inverted && node.up ? `; itself ${node.own}` : '';
    return `${flame.names[node.routine]}: ${node.cost} ${flame.unit}, ${(100 * node.cost / root.cost).toFixed(2)}%${own}${base}`;
}

function label(name, pixels)
{
    const letters = Math.floor((pixels - 4) / flame.letter), all = [...name];
    if (letters < 3)
        return '';
    return all.length <= letters ? name : `${all.slice(0, letters - 2).join('')}..`;
}

function make(tag, attributes, text = '')
{
    const element = document.createElementNS(svg.namespaceURI, tag);
    for (const [name, value] of Object.entries(attributes))
        element.setAttribute(name, value);
    element.textContent = text;
    return element;
}

function frame({node, left, wide}, levels)
{
    const name = flame.names[node.routine], x = flame.margin + left * flame.width, pixels = wide * flame.width;
    const top = flame.head + (state.inverted ? node.level : levels - 1 - node.level) * flame.height;
    const group = make('g', {class: 'f', 'data-x': node.x, 'data-w': node.cost, 'data-name': name});
    group.classList.toggle('callers', node.level < zoomed.level);
    group.classList.toggle('found', node.up !== null && state.pattern !== null && state.pattern.test(name));
    group.append(
        make('title', {}, words(node)),
        make('rect', {x: x.toFixed(2), y: top, width: pixels.toFixed(2), height: flame.height - 1,
                      fill: `#${colour(node).toString(16).padStart(6, '0')}`, rx: 1}),
        make('text', {x: (x + 3).toFixed(2), y: top + flame.base}, label(name, pixels)));
    group.addEventListener('click', () => zoom(node));
    group.addEventListener('mouseover', () => tell(words(node)));
    return group;
}

// A zoomed picture is at least as high as the whole picture, so that it keeps its place.
function draw()
{
    const frames = visible();
    const levels = frames.reduce((most, {node}) => Math.max(most, node.level + 1), levelsOfAll);
    if (zoomed === root)
        levelsOfAll = levels;
    const height = flame.head + levels * flame.height + flame.foot;
    svg.setAttribute('height', height);
    svg.setAttribute('viewBox', `0 0 ${svg.getAttribute('width')} ${height}`);
    part('status').setAttribute('y', height - 8);
    part('frames').replaceChildren(...frames.map((place) => frame(place, levels)));
    drawButtons();
    tell('');
}

function drawButtons()
{
    part('reset').classList.toggle('hidden', zoomed === root);
    part('inverted').classList.toggle('on', state.inverted);
    part('folded').classList.toggle('on', state.folded);
    for (const id of ['inverted', 'folded'])
        part(id).classList.toggle('hidden', !flame.switches);
    part('focus').classList.toggle('hidden', !flame.switches || zoomed === root && state.focus === 0);
    part('focus').textContent = state.focus === 0 ? `All calls of ${label(flame.names[zoomed.routine], 300)}` : 'All routines';
}

// ---------------------------------------------------------------- Words

// The cost of frames inside a found frame is not counted again.
function found()
{
    let sum = 0;
    const waiting = [root];
    while (waiting.length > 0) {
        const node = waiting.pop();
        if (node.up && state.pattern.test(flame.names[node.routine]))
            sum += node.cost;
        else
            waiting.push(...node.below);
    }
    return `found: ${(100 * sum / root.cost).toFixed(2)}%`;
}

function tell(text)
{
    part('status').textContent = text || (state.pattern ? found() : flame.note);
}

// ---------------------------------------------------------------- Actions

function zoom(node)
{
    zoomed = node;
    draw();
}

function change(changes)
{
    Object.assign(state, changes);
    build();
}

function search()
{
    const wanted = window.prompt('Routines whose name contains (regular expression):', state.pattern ? state.pattern.source : '');
    if (wanted === null)
        return;
    try {
        state.pattern = wanted === '' ? null : new RegExp(wanted);
        draw();
    } catch (error) {
        tell(error.message);
    }
}

const actions = {
    reset: () => zoom(root),
    inverted: () => change({inverted: !state.inverted}),
    folded: () => change({folded: !state.folded}),
    focus: () => change({focus: state.focus === 0 ? zoomed.routine : 0}),
    search,
};
for (const [id, action] of Object.entries(actions)) {
    part(id).addEventListener('click', action);
    part(id).addEventListener('keydown', (event) => event.key === 'Enter' && action());
}
window.addEventListener('keydown', (event) => {
    if ((event.ctrlKey || event.metaKey) && event.key === 'f') {
        event.preventDefault();
        search();
    } else if (event.key === 'Escape') {
        zoom(root);
    }
});
part('search').classList.remove('hidden');
build();
performance.mark('aprof-ready');
})();
