/* A plot: points, fitted curves and a tooltip over the axes, zoom and cursor of uPlot.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A layer is a set of points with one meaning: {label, x, y, describe(i), color, shape, curves, sticks,
 * isStepped, isLarge}.
 * uPlot gets no series, because each layer has its own sizes. Layers are drawn in uPlot's frame,
 * with at most one marker per pixel, so that the time for 200 000 points is bounded by the screen.
 */
'use strict';

const MARKER_SIZE = 7, MARKER_CELL = 2, MARKER_CELL_MANY = 3, MANY_POINTS = 2000, MARKERS_FULL = 200, MARKER_LEAST = 0.45;
const CURVE_STEP = 2, HIT_DISTANCE = 24, WORDS_SPACE = 84;
const plotSync = uPlot.sync('aprof');

const palette = new Map(); /* cache, because each query makes the browser recompute all styles */

function colour(name)
{
    if (!palette.has(name))
        palette.set(name, getComputedStyle(document.documentElement).getPropertyValue(name).trim());
    return palette.get(name);
}

/* ---------------------------------------------------------------- Range of the axes */

/* The numbers of the layer's points whose x is within a range. The points are sorted by x. */
function layerWithin(layer, within)
{
    return within ? [firstAtLeast(layer.x, within[0]), firstAbove(layer.x, within[1])] : [0, layer.x.length];
}

/* Invariant: a layer has no points that its axes cannot show. */
function extent(layers, axis, within)
{
    let least = Infinity, most = -Infinity;
    for (const layer of layers) {
        const values = layer[axis], [from, to] = layerWithin(layer, within);
        const step = axis === 'x' ? Math.max(1, to - from - 1) : 1; /* the first and the last point are enough */
        for (let i = from; i < to; i += step) {
            const value = values[i];
            if (value < least)
                least = value;
            if (value > most)
                most = value;
        }
    }
    return least <= most ? [least, most] : [1, 10];
}

function axisRange(layers, axis, isLog, within)
{
    const [least, most] = extent(layers, axis, within);
    if (isLog) {
        const room = Math.max((most / least) ** 0.04, 1.15);
        return [least / room, most * room];
    }
    const from = axis === 'x' && least > 0.6 * most ? least - 0.05 * (most - least) : 0;
    return [from, most + 0.04 * (most - from)];
}

/* Widens a range so that floating-point numbers of its size can resolve the range. */
function rangeWidened([from, to])
{
    const room = Math.max(1e-9 * Math.abs(to), 1e-9);
    if (to - from > room)
        return [from, to];
    return to > 2 ? [from - 0.1 * from, to + 0.1 * to] : [from / 2, to + 1];
}

/* ---------------------------------------------------------------- Drawing */

const markerShapes = {
    circle: (c, r) => c.arc(0, 0, r * 0.9, 0, 2 * Math.PI),
    diamond: (c, r) => [[0, -r], [r, 0], [0, r], [-r, 0]].forEach(([x, y]) => c.lineTo(x, y)),
    triangle: (c, r) => [[0, -r], [r, 0.8 * r], [-r, 0.8 * r]].forEach(([x, y]) => c.lineTo(x, y)),
    square: (c, r) => c.rect(-0.8 * r, -0.8 * r, 1.6 * r, 1.6 * r),
};

/* The maximum number of markers, because more markers would hide each other. */
function markerSize({x, isLarge})
{
    return (isLarge ? 1.7 : 1) * MARKER_SIZE * Math.max(MARKER_LEAST, Math.min(1, Math.sqrt(MARKERS_FULL / x.length)));
}

/* A marker as an image, because copying an image is many times faster than drawing paths. */
function markerMake(layer, size)
{
    const canvas = make('canvas');
    canvas.width = canvas.height = Math.ceil(size * 1.4) + 2;
    const context = canvas.getContext('2d');
    context.translate(canvas.width / 2, canvas.height / 2);
    context.fillStyle = context.strokeStyle = layer.color;
    context.lineWidth = size / 5;
    context.beginPath();
    markerShapes[layer.shape](context, size / 2 * (layer.isHollow ? 1.2 : 1));
    context.closePath();
    context.globalAlpha = 0.85;
    if (layer.isHollow)
        context.stroke();
    else
        context.fill();
    return canvas;
}

/* Returns the canvas pixel of a value along one axis. The function replaces u.valToPos() for many
 * points. */
function placer(u, axis)
{
    const {min, max, distr} = u.scales[axis];
    const isLog = distr === 3;
    const from = isLog ? Math.log(min) : min;
    const low = u.valToPos(min, axis, true);
    const step = (u.valToPos(max, axis, true) - low) / ((isLog ? Math.log(max) : max) - from);
    return {isLog, low, from, step};
}

function placed({isLog, low, from, step}, value)
{
    return low + ((isLog ? Math.log(value) : value) - from) * step;
}

/* A small number of points is drawn as markers. Many points are drawn as a square for each grid
 * cell that has a point, including the most expensive point of each size. */
function layerDrawPoints(u, layer)
{
    const {left, top, width, height} = u.bbox;
    const isMany = layer.x.length > MANY_POINTS, ratio = window.devicePixelRatio || 1;
    const marker = isMany ? null : markerMake(layer, markerSize(layer) * ratio);
    const cell = (isMany ? MARKER_CELL_MANY : MARKER_CELL) * ratio, across = Math.ceil(width / cell) + 1;
    const square = layer.isHollow ? cell / 2 : cell; /* lower layers remain visible */
    const taken = new Uint8Array(across * (Math.ceil(height / cell) + 1));
    const alongX = placer(u, 'x'), alongY = placer(u, 'y');
    const {min, max} = u.scales.x;
    const [from, to] = layerWithin(layer, [min, max]);
    let drawn = 0;
    u.ctx.fillStyle = layer.color;
    for (let i = from; i < to; i++) {
        const x = placed(alongX, layer.x[i]), y = placed(alongY, layer.y[i]);
        if (!(y >= top && y <= top + height))
            continue;
        drawn++;
        const column = Math.floor((x - left) / cell), line = Math.floor((y - top) / cell);
        if (taken[line * across + column])
            continue;
        taken[line * across + column] = 1;
        if (isMany)
            u.ctx.fillRect(left + column * cell, top + line * cell, square, square);
        else
            u.ctx.drawImage(marker, Math.round(x - marker.width / 2), Math.round(y - marker.height / 2));
    }
    return drawn;
}

function layerDrawSticks(u, layer)
{
    const {left, top, width, height} = u.bbox;
    const ratio = window.devicePixelRatio || 1;
    const thick = Math.max(1, Math.min(5, Math.floor(width / layer.x.length / 2 / ratio))) * ratio;
    const alongX = placer(u, 'x'), alongY = placer(u, 'y');
    const {min, max} = u.scales.x;
    const [from, to] = layerWithin(layer, [min, max]);
    const highest = new Float64Array(Math.ceil(width) + 2).fill(Infinity); /* number of sticks in one pixel */
    for (let i = from; i < to; i++) {
        const at = Math.floor(placed(alongX, layer.x[i]) - left), y = placed(alongY, layer.y[i]);
        if (y < highest[at])
            highest[at] = y;
    }
    u.ctx.fillStyle = layer.color;
    highest.forEach((y, at) => {
        if (y < Infinity)
            u.ctx.fillRect(Math.round(left + at - thick / 2 + layer.shift * ratio), y, thick, top + height - y);
    });
    return to - from;
}

function curveTrace(u, value, from, to)
{
    let isPen = false;
    u.ctx.beginPath();
    for (let x = from; x <= to; x += CURVE_STEP) {
        const y = u.valToPos(value(u.posToVal(x, 'x', true)), 'y', true);
        if (!Number.isFinite(y))
            isPen = false;
        else if (isPen)
            u.ctx.lineTo(x, Math.max(-1e5, Math.min(1e5, y)));
        else
            u.ctx.moveTo(x, Math.max(-1e5, Math.min(1e5, y)));
        isPen = Number.isFinite(y);
    }
    u.ctx.stroke();
}

/* Draws a curve: solid over the points, dotted where the curve predicts. */
function curveDraw(u, curve)
{
    const ratio = window.devicePixelRatio || 1;
    const {left, width} = u.bbox;
    const clamp = (n, other) => {
        const x = u.valToPos(n, 'x', true);
        return Number.isFinite(x) ? Math.max(left, Math.min(left + width, x)) : other;
    };
    const from = clamp(curve.least, left), to = clamp(curve.most, left + width);
    u.ctx.strokeStyle = curve.color;
    u.ctx.lineWidth = curve.thickness * ratio;
    u.ctx.setLineDash([]);
    curveTrace(u, curve.value, from, to);
    u.ctx.setLineDash([2 * ratio, 4 * ratio]);
    curveTrace(u, curve.value, to, left + width);
    u.ctx.setLineDash([]);
}

/* Joins the points by steps: a value is valid until the next point. */
function stepsDraw(u, layer)
{
    const alongX = placer(u, 'x'), alongY = placer(u, 'y');
    u.ctx.beginPath();
    layer.x.forEach((x, i) => {
        if (i > 0)
            u.ctx.lineTo(placed(alongX, x), placed(alongY, layer.y[i - 1]));
        u.ctx.lineTo(placed(alongX, x), placed(alongY, layer.y[i]));
    });
    u.ctx.strokeStyle = layer.color;
    u.ctx.lineWidth = 1.5 * (window.devicePixelRatio || 1);
    u.ctx.stroke();
}

function plotDraw(plot, u)
{
    const {left, top, width, height} = u.bbox;
    let drawn = 0;
    u.ctx.save();
    u.ctx.beginPath();
    u.ctx.rect(left, top, width, height);
    u.ctx.clip();
    plot.layers.filter((layer) => layer.isStepped).forEach((layer) => stepsDraw(u, layer));
    for (const layer of plot.layers)
        drawn += layer.sticks ? layerDrawSticks(u, layer) : layerDrawPoints(u, layer);
    for (const layer of plot.layers)
        layer.curves.forEach((curve) => curveDraw(u, curve));
    u.ctx.restore();
    plot.box.dataset.drawn = drawn;
}

/* ---------------------------------------------------------------- Tooltip */

function firstAtLeast(values, wanted)
{
    let low = 0, high = values.length;
    while (low < high) {
        const middle = (low + high) >> 1;
        if (values[middle] < wanted)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

function firstAbove(values, most)
{
    let at = firstAtLeast(values, most);
    while (at < values.length && values[at] === most)
        at++;
    return at;
}

/* The point nearest to a position in the plot; in a plot of sticks, only the x position counts. */
function plotNearest(plot, left, top)
{
    const u = plot.uplot;
    const from = u.posToVal(left - HIT_DISTANCE, 'x'), to = u.posToVal(left + HIT_DISTANCE, 'x');
    let best = null, distance = HIT_DISTANCE;
    for (const layer of plot.layers) {
        const end = layer.x.length;
        for (let i = firstAtLeast(layer.x, from); i < end && layer.x[i] <= to; i++) {
            const dx = u.valToPos(layer.x[i], 'x') - left;
            const dy = layer.sticks ? 0 : u.valToPos(layer.y[i], 'y') - top;
            const away = Math.hypot(dx, dy);
            if (away < distance) {
                distance = away;
                best = {layer, i};
            }
        }
    }
    return best;
}

function plotHideTip(plot)
{
    plot.tip.hidden = plot.ring.hidden = true;
}

function plotShowTip(plot, layer, i)
{
    const u = plot.uplot;
    const x = u.over.offsetLeft + u.valToPos(layer.x[i], 'x');
    const y = u.over.offsetTop + u.valToPos(layer.y[i], 'y');
    const rows = layer.describe(i).map(([what, value]) => make('tr', {}, make('th', {}, what), make('td', {}, value)));
    plot.tip.replaceChildren(make('b', {style: `color:${layer.color}`}, layer.label), make('table', {}, ...rows));
    plot.tip.hidden = plot.ring.hidden = false;
    plot.ring.style.transform = `translate(${x}px, ${y}px)`;
    const toLeft = x > plot.box.clientWidth / 2;
    const tipX = toLeft ? x - plot.tip.offsetWidth - 14 : x + 14;
    const tipY = Math.max(0, Math.min(y - plot.tip.offsetHeight / 2, plot.box.clientHeight - plot.tip.offsetHeight));
    plot.tip.style.transform = `translate(${Math.max(0, tipX)}px, ${tipY}px)`;
    plot.at = {layer, i};
}

function plotPoint(plot)
{
    const {left, top} = plot.uplot.cursor;
    const hit = left >= 0 && plot.over ? plotNearest(plot, left, top) : null;
    if (hit)
        plotShowTip(plot, hit.layer, hit.i);
    else if (!plot.keys)
        plotHideTip(plot);
}

/* Whether the axes show the point. */
function plotInSight(plot, layer, i)
{
    const {x, y} = plot.uplot.scales;
    return layer.x[i] >= x.min && layer.x[i] <= x.max && layer.y[i] >= y.min && layer.y[i] <= y.max;
}

/* The keys left and right move along a layer; up and down change the layer. */
function plotKey(plot, event)
{
    const steps = {ArrowRight: 1, ArrowLeft: -1};
    const turns = {ArrowDown: 1, ArrowUp: -1};
    if (plot.layers.length === 0 || !(event.key in steps || event.key in turns))
        return;
    event.preventDefault();
    const at = plot.layers.indexOf(plot.at && plot.at.layer);
    const turn = turns[event.key] || 0;
    const layer = plot.layers[at < 0 ? 0 : (at + turn + plot.layers.length) % plot.layers.length];
    let i = at < 0 ? -1 : turn ? firstAtLeast(layer.x, plot.at.layer.x[plot.at.i]) - 1 : plot.at.i;
    const step = turn ? 1 : steps[event.key];
    do
        i += step;
    while (i >= 0 && i < layer.x.length && !plotInSight(plot, layer, i));
    if (i < 0 || i >= layer.x.length)
        return;
    plot.keys = true;
    plotShowTip(plot, layer, i);
    find('live').textContent = `${layer.label}: ${layer.describe(i).map((pair) => pair.join(' ')).join(', ')}`;
}

/* ---------------------------------------------------------------- Axes */

/* The ticks 1, 2, ... 9, 10, 20, ... over the range of the axis; in a short range, the ticks of a
 * linear axis. */
function logSplits(u, axis, from, to)
{
    if (to / from < 3)
        return linearSplits(from, to);
    const splits = [];
    for (let unit = 10 ** Math.floor(Math.log10(from)); unit <= to; unit *= 10) {
        for (let digit = 1; digit < 10; digit++) {
            if (digit * unit >= from && digit * unit <= to)
                splits.push(digit * unit);
        }
    }
    return splits;
}

function linearSplits(from, to)
{
    const unit = 10 ** Math.floor(Math.log10((to - from) / 2));
    const step = (to - from) / unit > 10 ? 5 * unit : unit;
    const splits = [];
    for (let k = Math.ceil(from / step); k * step <= to; k++)
        splits.push(k * step);
    return splits;
}

/* The labels of ticks: the powers of ten; in a short range also 2 and 5; in a very short range all
 * ticks. */
function logWords(splits)
{
    const range = splits[splits.length - 1] / splits[0];
    const digits = range < 4 ? [1, 2, 3, 4, 5, 6, 7, 8, 9] : range < 300 ? [1, 2, 5] : [1];
    const every = range > 1e12 ? 3 : 1; /* thousands only */
    return splits.map((value) => {
        const power = Math.floor(Math.log10(value) + 1e-9);
        const digit = value / 10 ** power;
        const isWord = range < 3 || digits.some((wanted) => Math.abs(digit - wanted) < 1e-6) && power % every === 0;
        return isWord ? shortNumber(value) : '';
    });
}

/* ---------------------------------------------------------------- Making */

function plotAxis(label, size, isLog, words)
{
    return {
        label, size, labelSize: 22, splits: isLog ? logSplits : undefined, stroke: colour('--text'), labelFont: '12px system-ui, sans-serif',
        font: '11px system-ui, sans-serif', labelGap: 2, ...(words ? {space: WORDS_SPACE} : {}),
        grid: {stroke: colour('--grid'), width: 1}, ticks: {stroke: colour('--grid'), width: 1, size: 5},
        filter: (u, splits) => splits, /* all ticks; their labels are selected later */
        values: (u, splits) => isLog ? logWords(splits) : splits.map(words || shortNumber),
    };
}

/* The rectangle that the user has dragged, as [x0, x1, y0, y1]; null for a click. */
function plotSelected(plot, u)
{
    const {left, top, width, height} = u.select;
    if (width < 4 && height < 4)
        return null;
    const x = width < 4 ? plot.ranges.x : [u.posToVal(left, 'x'), u.posToVal(left + width, 'x')];
    const y = height < 4 || plot.isFlat ? null : [u.posToVal(top + height, 'y'), u.posToVal(top, 'y')];
    return {x, y};
}

function plotOptions(plot, options)
{
    const {logx, logy, xLabel, yLabel} = options;
    return {
        width: options.width, height: options.height, legend: {show: false}, padding: [8, 14, 0, 0],
        scales: {
            x: {time: false, distr: logx ? 3 : 1, range: () => plot.ranges.x},
            y: {distr: logy ? 3 : 1, range: () => plot.ranges.y},
        },
        axes: [plotAxis(xLabel, 34, logx, options.xWords), plotAxis(yLabel, 56, logy)],
        series: [{}, {scale: 'y', paths: () => null, points: {show: false}}],
        cursor: {
            points: {show: false}, drag: {x: true, y: !plot.isFlat, uni: 20, setScale: false},
            sync: {key: plotSync.key, scales: ['x', null]}, bind: {dblclick: () => () => options.onZoom(null)},
        },
        hooks: {
            draw: [(u) => plotDraw(plot, u)],
            setCursor: [() => plot.uplot && plotPoint(plot)],
            setSelect: [(u) => {
                const selected = plot.over && plotSelected(plot, u);
                if (selected)
                    options.onZoom(selected);
                u.setSelect({left: 0, top: 0, width: 0, height: 0}, false);
            }],
        },
    };
}

/* Puts a plot into an element: options has layers, logx, logy, zoom {x, y} (either may be missing),
 * labels, height, isFlat (y is not zoomed), xWords (of a value of x, if not its number) and onZoom. */
function plotMake(parent, options)
{
    const zoom = options.zoom || {};
    const plot = {layers: options.layers, isFlat: options.isFlat, at: null, keys: false, over: false};
    plot.ranges = {x: rangeWidened(zoom.x || axisRange(options.xLayers || plot.layers, 'x', options.logx, null))};
    plot.ranges.y = rangeWidened(zoom.y || axisRange(plot.layers, 'y', options.logy, zoom.x || null));
    plot.tip = make('div', {class: 'tip', hidden: true});
    plot.ring = make('div', {class: 'ring', hidden: true});
    plot.box = make('div', {class: 'plot', tabindex: 0, role: 'application', 'aria-label': options.name,
                            'data-x': options.logx ? 'log' : 'linear', 'data-y': options.logy ? 'log' : 'linear',
                            onkeydown: (event) => plotKey(plot, event), onblur: () => plotHideTip(plot)});
    plot.box.addEventListener('pointermove', () => {
        plot.keys = false;
    });
    plot.box.addEventListener('pointerenter', () => {
        plot.over = true;
    });
    plot.box.addEventListener('pointerleave', () => {
        plot.over = false;
        plotHideTip(plot);
    });
    parent.append(plot.box);
    plot.uplot = new uPlot(plotOptions(plot, options), [plot.ranges.x, [null, null]], plot.box);
    plot.box.append(plot.ring, plot.tip);
    return plot;
}

function plotRemove(plot)
{
    plot.uplot.destroy();
    plot.box.remove();
}
