/* Draws thumbnails: the worst costs of a routine on a small canvas, when the browser is idle.
 * SPDX-License-Identifier: BSD-2-Clause
 */
'use strict';

const THUMBNAIL_WIDTH = 88, THUMBNAIL_HEIGHT = 26, THUMBNAIL_POINTS = 150, THUMBNAIL_FRAME_MS = 6;

const thumbnailQueue = new Map(); /* cell -> entry */
let thumbnailFrame = 0;

/* A sample of points at equal steps, with the first and the last, and the scale of each axis. */
function thumbnailSample(points)
{
    const taken = Math.min(points.count, THUMBNAIL_POINTS);
    const sample = [];
    for (let i = 0; i < taken; i++) {
        const at = taken < 2 ? 0 : Math.floor(i * (points.count - 1) / (taken - 1));
        sample.push([points.input[at], points.max[at]]);
    }
    return sample;
}

function thumbnailScale(values, isLog, length)
{
    const place = isLog ? (value) => Math.log(Math.max(value, 1)) : (value) => value;
    const most = place(Math.max(...values));
    const least = isLog ? place(Math.min(...values)) : 0;
    return (value) => most > least ? (place(value) - least) / (most - least) * length : length / 2;
}

function thumbnailDraw(cell, entry)
{
    const canvas = cell.firstChild;
    const ratio = window.devicePixelRatio || 1;
    canvas.width = THUMBNAIL_WIDTH * ratio;
    canvas.height = THUMBNAIL_HEIGHT * ratio;
    const context = canvas.getContext('2d');
    context.scale(ratio, ratio);
    const samples = [entry.a, entry.b].map((row) => row && row.points > 0 ? thumbnailSample(rowPoints(row)) : []);
    const all = samples.flat();
    if (all.length === 0)
        return;
    const x = thumbnailScale(all.map((p) => p[0]), state.logx === '1', THUMBNAIL_WIDTH - 4);
    const y = thumbnailScale(all.map((p) => p[1]), state.logy === '1', THUMBNAIL_HEIGHT - 4);
    samples.forEach((sample, side) => {
        const size = sample.length > 40 ? 1.5 : 2.5;
        context.fillStyle = colour(side ? '--over' : '--base');
        for (const [n, cost] of sample)
            context.fillRect(2 + x(n) - size / 2, THUMBNAIL_HEIGHT - 2 - y(cost) - size / 2, size, size);
    });
}

function thumbnailsStep()
{
    const stop = performance.now() + THUMBNAIL_FRAME_MS;
    thumbnailFrame = 0;
    for (const [cell, entry] of thumbnailQueue) {
        thumbnailQueue.delete(cell);
        thumbnailDraw(cell, entry);
        if (performance.now() > stop)
            break;
    }
    if (thumbnailQueue.size > 0)
        thumbnailFrame = requestAnimationFrame(thumbnailsStep);
}

function thumbnailRequest(cell, entry)
{
    if (!cell.firstChild) {
        cell.append(make('canvas', {role: 'img', 'aria-label': 'trend'}));
        cell.firstChild.style.width = `${THUMBNAIL_WIDTH}px`;
        cell.firstChild.style.height = `${THUMBNAIL_HEIGHT}px`;
    } else {
        cell.firstChild.width = 0; /* the picture of the former routine disappears immediately */
    }
    if (table.isPrinting) {
        thumbnailDraw(cell, entry); /* a printed page needs the pictures immediately */
        return;
    }
    thumbnailQueue.set(cell, entry);
    if (!thumbnailFrame)
        thumbnailFrame = requestAnimationFrame(thumbnailsStep);
}
