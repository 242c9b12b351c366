/* The page of a server: requests the state each second, and shows the page of a report in a frame.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A changed report gets a new frame, with the address of the old frame, so that search, routine and
 * plot remain. The new frame replaces the old one when it is ready.
 */
'use strict';

const POLL_MS = 1000;

const chosen = {view: '', a: '', b: ''}; /* a: empty for the newest report; view: history, or empty */
const frames = {shown: null, next: null, address: '', stamp: ''};
let state = {reports: [], kind: '', runs: false, history: false, what: ''};

function reportNamed(name)
{
    return state.reports.find((report) => report.name === name);
}

function addressRead()
{
    const words = new URLSearchParams(location.hash.slice(1));
    chosen.a = words.get('a') || '';
    chosen.b = words.get('b') || '';
    chosen.view = words.get('view') === 'history' ? 'history' : '';
}

/* Shows another view, which the browser's Back undoes. */
function choose(change)
{
    Object.assign(chosen, {view: '', a: '', b: ''}, change);
    const words = new URLSearchParams(Object.entries(chosen).filter(([, value]) => value !== ''));
    history.pushState(null, '', `#${words}`);
    update();
}

/* ---------------------------------------------------------------- Frames */

/* The view to show: its address, and a text that changes with the view; null: no view. */
function wanted()
{
    if (chosen.view === 'history')
        return {address: 'history', stamp: ''};
    const a = chosen.a ? reportNamed(chosen.a) : state.reports[0];
    const b = chosen.b ? reportNamed(chosen.b) : null;
    if (!a)
        return null;
    const words = new URLSearchParams({a: a.name, ...b ? {b: b.name} : {}});
    return {address: `page?${words}`, stamp: `${a.stamp} ${b ? b.stamp : ''}`};
}

/* The part of the frame's address that has the state of the page; empty after an error. */
function frameState(frame)
{
    return frame && frame.contentWindow ? frame.contentWindow.location.hash : '';
}

/* The old frame may have changed while the new frame was loaded; `isSame`: both frames show one
 * page. */
function frameReady(frame, isSame)
{
    if (frame !== frames.next)
        return;
    if (isSame && frameState(frames.shown) !== frameState(frame))
        frame.contentWindow.location.replace(frameState(frames.shown) || '#');
    if (frames.shown)
        frames.shown.remove();
    frame.classList.remove('next');
    frames.shown = frame;
    frames.next = null;
}

function frameLoad({address, stamp})
{
    if (frames.next)
        frames.next.remove();
    const isSame = address === frames.address;
    const kept = isSame ? frameState(frames.shown) : '';
    const frame = make('iframe', {class: 'next', title: 'Report', src: address + kept, onload: () => frameReady(frame, isSame)});
    Object.assign(frames, {address, stamp, next: frame});
    find('frames').append(frame);
}

/* Changes wait until the user wants them, except if another report was chosen. */
function framesUpdate()
{
    const next = wanted();
    find('nothing').hidden = next !== null;
    if (!next || frames.next)
        return;
    if (next.address !== frames.address || next.stamp !== frames.stamp && find('follow').checked)
        frameLoad(next);
}

/* ---------------------------------------------------------------- The list */

function statusWords()
{
    if (state.kind !== 'process')
        return state.kind === 'folder' ? `${state.what}: ${state.reports.length} ${state.reports.length === 1 ? 'report' : 'reports'}` : state.what;
    const [report] = state.reports;
    const end = report ? 'has ended; this is its last report' : 'has ended without a report';
    return `Process ${state.what} ${state.runs ? 'runs' : end}.`;
}

function reportRow(report, shown)
{
    const time = new Date(1000 * report.moment).toLocaleString();
    const isOther = shown && report.name !== shown.name;
    return make('li', {class: !isOther && shown || report.name === chosen.b ? 'open' : null},
                make('div', {}, make('button', {type: 'button', class: 'link', onclick: () => choose({a: report.name})}, report.name), make('small', {}, time)),
                isOther ? make('button', {type: 'button', class: 'compare', title: `Compare ${report.name} with ${shown.name}`, onclick: () => choose({a: report.name, b: shown.name})}, 'Compare') : null);
}

let listed = '';

function listUpdate()
{
    const shown = chosen.view ? null : chosen.b ? reportNamed(chosen.b) : chosen.a ? reportNamed(chosen.a) : state.reports[0];
    const key = JSON.stringify([state.reports, shown, chosen]);
    if (key === listed)
        return;
    listed = key; /* an unchanged list keeps the focus */
    find('reports').replaceChildren(...state.reports.map((report) => reportRow(report, shown)));
}

function update()
{
    const words = statusWords();
    if (find('status').textContent !== words)
        find('status').textContent = words;
    find('history').hidden = !state.history;
    listUpdate();
    framesUpdate();
}

/* ---------------------------------------------------------------- Start */

async function poll()
{
    try {
        const answer = await fetch('state');
        if (!answer.ok)
            throw new Error(answer.status);
        state = await answer.json();
        update();
    } catch {
        find('status').textContent = 'The server does not answer. The page remains as it is.';
    }
    setTimeout(poll, POLL_MS);
}

find('history').addEventListener('click', () => choose({view: 'history'}));
find('follow').addEventListener('change', update);
window.addEventListener('popstate', () => {
    addressRead();
    update();
});
addressRead();
poll().then(() => performance.mark('aprof-ready'));
