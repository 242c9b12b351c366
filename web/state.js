/* The state of the page, which its address contains so that a link leads to an equal view.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The address contains only values that differ from the defaults:
 * #q=parse&r=app!parse!parse.c&logx=1
 */
'use strict';

const STATE_DEFAULTS = {
    a: '0',              /* the report, and the report compared with it (empty: none) */
    b: data.reports.length > 1 ? '1' : '',
    metric: data.reports.length > 0 ? Object.keys(data.reports[0].metrics)[0] || 'trms' : 'trms',
    q: '',               /* the search */
    growth: '',          /* the filters */
    object: data.mine ? 'mine' : '', /* 'mine', or '/' and the name of an object */
    startup: '',         /* 1: its routines one by one */
    view: '',            /* flame or scale, else the table */
    frame: '',           /* number of the frame that is as wide as the flame graph */
    turn: '',            /* 1: the flame graph has routines first, then their callers */
    fold: '',            /* 1: and recursion folded */
    sort: '',
    up: '',              /* 1: the smallest first */
    r: '',               /* the open routine's key */
    tab: '',             /* tab of the open routine: calls or code, else its growth */
    context: '',         /* number of the only shown context of the open routine */
    whole: '',           /* 1: whole source files */
    show: 'worst,average',
    fit: '1',
    logx: '',
    logy: '',
    logcalls: '',
    per: '',             /* growth class by which costs are divided */
    zoom: '',            /* x0,x1,y0,y1 */
};

const state = {...STATE_DEFAULTS};

function stateAddress()
{
    const words = new URLSearchParams();
    for (const [name, value] of Object.entries(STATE_DEFAULTS)) {
        if (state[name] !== value)
            words.set(name, state[name]);
    }
    return `#${words}`;
}

/* Unknown or invalid values in an address are ignored. */
function stateIsGood(name, value)
{
    const isReport = (text) => /^\d+$/.test(text) && Number(text) < data.reports.length;
    switch (name) {
    case 'a':
        return isReport(value);
    case 'b':
        return value === '' || isReport(value);
    case 'metric':
        return value === 'trms' || value === 'rms';
    case 'view':
        return value === '' || value === 'flame' || value === 'scale' && Boolean(data.scale);
    case 'frame':
    case 'context':
        return /^\d*$/.test(value);
    case 'tab':
        return ['', 'calls', 'code'].includes(value);
    case 'per':
        return value === '' || Object.hasOwn(CLASS_FUNCTIONS, value);
    case 'zoom':
        return value === '' || value.split(',').length === 4 && value.split(',').every((n) => Number.isFinite(Number(n)));
    default:
        return true;
    }
}

function stateRead()
{
    const words = new URLSearchParams(location.hash.slice(1));
    for (const [name, value] of Object.entries(STATE_DEFAULTS)) {
        const given = words.get(name);
        state[name] = given !== null && stateIsGood(name, given) ? given : value;
    }
}

/* Another routine adds an entry to the browser's history; changes by each keystroke do not. */
function stateWrite(isStep)
{
    const address = stateAddress();
    if (address === location.hash || address === '#' && location.hash === '')
        return;
    if (isStep)
        history.pushState(null, '', address);
    else
        history.replaceState(null, '', address);
}
