/* Shows one routine: its numbers, cost against input size with fitted curves, and workload.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Other tabs show the routine's calls and code.
 */
'use strict';

const COST_KINDS = [
    {id: 'worst', label: 'worst', shape: 'circle', color: '--base', curves: [CURVE_WORST, CURVE_DEARER, CURVE_CHEAPER], claim: 'worstCurve', field: 'max', isMean: false},
    {id: 'average', label: 'average', shape: 'diamond', isHollow: true, color: '--over', curves: [CURVE_AVERAGE], claim: 'averageCurve', field: 'sum', isMean: true},
    {id: 'best', label: 'best', shape: 'triangle', color: '--third', curves: [CURVE_CHEAPER], field: 'min', isMean: false},
    {id: 'self', label: 'self (average)', shape: 'square', color: '--fourth', curves: [], field: 'self', isMean: true},
];
const WORK_KIND = {field: 'calls', isMean: false};
const CURVE_ORDER = [CURVE_WORST, CURVE_DEARER, CURVE_CHEAPER, CURVE_AVERAGE];
const CURVE_NAMES = ['worst case', 'average', 'upper branch', 'lower branch'];

const TABS = [['', 'Growth'], ['calls', 'Calls'], ['code', 'Code']];

const detail = {plots: [], entry: null, isPrinting: false};

/* ---------------------------------------------------------------- Layers */

/* The growth class by which costs are divided, if any. */
function divisor()
{
    return state.per === '' ? null : CLASS_FUNCTIONS[state.per];
}

/* The open routine in each report, or only in a context of the first report. */
function sides()
{
    const {a, b} = detail.entry;
    const context = contextShown();
    if (context)
        return [{row: context, color: '--base', isPair: false, label: ''}];
    const isPair = state.b !== '';
    return [[a, '--base'], [b, '--over']]
        .filter(([row]) => row)
        .map(([row, color]) => ({row, color, isPair, label: isPair ? `${data.reports[row.report].name}, ` : ''}));
}

function contextShown()
{
    if (state.context === '' || !detail.entry.a)
        return null;
    return contextRows(detail.entry.a).find((row) => row.number === Number(state.context)) || null;
}

function pointWords(points, i)
{
    const calls = points.calls[i];
    const words = [
        ['input', fullNumber(points.input[i])], ['calls', fullNumber(calls)],
        ['worst cost', fullNumber(points.max[i])], ['average', fullNumber(points.sum[i] / calls)],
        ['best', fullNumber(points.min[i])], ['self (average)', fullNumber(points.self[i] / calls)],
    ];
    if (points.thread[i] > 0)
        words.push(['from threads', `${sharePercent(percent(points.thread[i], points.input[i] * calls))} %`]);
    if (points.external[i] > 0)
        words.push(['external', `${sharePercent(percent(points.external[i], points.input[i] * calls))} %`]);
    return words;
}

/* The points of a kind, in one pass, because there may be 200 000 points. Points that a logarithmic
 * axis cannot show, or that a division by 0 yields, are omitted; `at` has the indices of the
 * remaining points. */
function layerPoints(points, kind, divide, logx, logy)
{
    const {count, input, calls} = points, values = points[kind.field], {isMean} = kind;
    const at = new Uint32Array(count), x = new Float64Array(count), y = new Float64Array(count);
    let kept = 0;
    for (let i = 0; i < count; i++) {
        const n = input[i];
        let value = isMean ? values[i] / calls[i] : values[i];
        if (divide)
            value /= divide(n);
        if (value - value !== 0 || logx && n <= 0 || logy && value <= 0)
            continue;
        at[kept] = i;
        x[kept] = n;
        y[kept++] = value;
    }
    return kept === count ? {at, x, y} : {at: at.subarray(0, kept), x: x.subarray(0, kept), y: y.subarray(0, kept)};
}

/* Only claimed curves are drawn, because users would assume that other curves are validated,
 * too. */
function layerCurves(row, kind, color)
{
    const divide = divisor() || (() => 1);
    const claim = kind.claim ? row[kind.claim] : [];
    if (state.fit !== '1' || claim.length === 0)
        return [];
    const [least, most] = claim.slice(-2);
    return [{color, thickness: kind.isHollow ? 1.5 : 2.5, least, most, value: (n) => claimValue(claim, n) / divide(n)}];
}

/* With one report, colours distinguish the kinds of cost; with two reports, colours distinguish the
 * reports. */
function costLayer(side, kind)
{
    const points = rowPoints(side.row);
    const color = colour(side.isPair ? side.color : kind.color);
    const shown = layerPoints(points, kind, divisor(), state.logx === '1', state.logy === '1');
    const shape = side.isPair && side.color === '--over' && kind.id === 'worst' ? 'triangle' : kind.shape;
    return {
        label: `${side.label}${kind.label}`, x: shown.x, y: shown.y, color, shape, isHollow: kind.isHollow,
        left: points.count - shown.x.length, curves: layerCurves(side.row, kind, color),
        describe: (i) => pointWords(points, shown.at[i]),
    };
}

function shownKinds()
{
    const shown = state.show.split(',');
    return COST_KINDS.filter((kind) => shown.includes(kind.id));
}

function costLayers()
{
    return sides().flatMap((side) => shownKinds().map((kind) => costLayer(side, kind)));
}

function workLayers()
{
    const all = sides();
    return all.map((side, i) => {
        const points = rowPoints(side.row);
        const shown = layerPoints(points, WORK_KIND, null, state.logx === '1', state.logcalls === '1');
        return {
            label: `${side.label}activations`, x: shown.x, y: shown.y, color: colour(side.color), sticks: true,
            shift: all.length > 1 ? 3 * i - 1.5 : 0, curves: [], left: 0, describe: (k) => pointWords(points, shown.at[k]),
        };
    });
}

/* ---------------------------------------------------------------- Plots */

function zoomRead()
{
    if (state.zoom === '')
        return null;
    const [x0, x1, y0, y1] = state.zoom.split(',').map(Number);
    const good = (from, to, isLog) => from < to && (!isLog || from > 0);
    return {
        x: good(x0, x1, state.logx === '1') ? [x0, x1] : null,
        y: good(y0, y1, state.logy === '1') ? [y0, y1] : null,
    };
}

function zoomSet(selected)
{
    if (!selected) {
        update({zoom: ''});
        return;
    }
    const y = selected.y || [0, 0]; /* none */
    update({zoom: [...selected.x, ...y].map((value) => Number(value.toPrecision(6))).join(',')});
}

function detailLeftOut(layers)
{
    const left = Math.max(0, ...layers.map((layer) => layer.left));
    return left > 0 ? `${left} ${left === 1 ? 'size has' : 'sizes have'} no position on ${state.logx || state.logy ? 'logarithmic axes' : 'this axis'}.` : '';
}

function detailPlots()
{
    const width = Math.max(280, detail.charts.clientWidth);
    const zoom = zoomRead();
    const logx = state.logx === '1';
    const report = data.reports[detail.entry.main.report];
    const cells = `input size (${state.metric}, ${report.resolution}-byte cells)`;
    const cost = state.per === '' ? `cost (${report.cost})` : `cost / ${state.per === '1' ? 1 : `(${state.per})`}`;
    const layers = costLayers(), work = workLayers();
    const height = Math.max(240, Math.min(Math.round(width * 0.52), Math.round(window.innerHeight * 0.44)));
    detail.plots.forEach(plotRemove);
    detail.plots = [
        plotMake(detail.charts, {name: `Cost of ${detail.entry.main.name} against input size`, layers, zoom, logx, logy: state.logy === '1',
                                 xLayers: work, xLabel: cells, yLabel: cost, width, height, onZoom: zoomSet}),
        plotMake(detail.work, {name: 'Activations per input size', layers: work, zoom: zoom && {x: zoom.x}, logx, isFlat: true,
                               logy: state.logcalls === '1', xLabel: cells, yLabel: 'activations', width, height: 170,
                               onZoom: (selected) => zoomSet(selected && {x: selected.x, y: null})}),
    ];
    detail.note.textContent = detailLeftOut(layers);
    detailLegend(layers);
}

function detailLegend(layers)
{
    const marks = {circle: '●', diamond: '◇', triangle: '▲', square: '■'};
    detail.legend.replaceChildren(...layers.map((layer) => make('span', {},
        make('i', {style: `color:${layer.color}`, 'aria-hidden': true}, marks[layer.shape]), ` ${layer.label}`)));
    if (state.fit === '1' && layers.some((layer) => layer.curves.length > 0))
        detail.legend.append(make('span', {class: 'quiet'}, '━ claimed'), make('span', {class: 'quiet'}, '┅ beyond the points'));
}

/* ---------------------------------------------------------------- Words */

function detailFacts(entry)
{
    const rows = [
        ['calls', (row) => fullNumber(row.calls)], ['input sizes', (row) => fullNumber(row.points)],
        ['total cost', (row) => `${fullNumber(row.total)} (${sharePercent(row.totalShare)} %)`],
        ['self cost', (row) => `${fullNumber(row.self)} (${sharePercent(row.selfShare)} %)`],
        ['largest input', (row) => `${fullNumber(row.inputMax)} cells`],
        ['max cost of a call', (row) => fullNumber(row.worst)],
        ['input from threads', (row) => `${sharePercent(row.threadShare)} %`],
        ['external input', (row) => `${sharePercent(row.externalShare)} %`],
    ];
    return rows.map(([what, value]) => make('div', {}, make('dt', {}, what),
        ...sides().map((side) => make('dd', {class: side.isPair ? side.row === entry.b ? 'b' : 'a' : null}, value(side.row)))));
}

/* The summary under the title: the growth of a call's cost, and its evidence. */
function answerWords(row)
{
    if (row.points === 0)
        return 'no call ended, so there is no input size';
    if (row.points === 1)
        return 'all calls have one input size, so no growth can be shown: profile runs with other input sizes';
    const worst = row.worstAnswer === row.averageAnswer ? '' : `. Worst case: ${row.worstAnswer}`;
    return `${row.averageAnswer}${worst}`;
}

function detailAnswer()
{
    return sides().map((side) => make('div', {class: side.isPair ? side.color === '--base' ? 'a' : 'b' : null},
        side.isPair ? make('b', {}, side.color === '--base' ? '● ' : '▲ ') : null, answerWords(side.row)));
}

function curveCells(side, curve)
{
    const kind = COST_KINDS.find((cost) => cost.curves.includes(curve.kind));
    const name = make('td', {}, make('i', {style: `color:${colour(side.isPair ? side.color : kind.color)}`, 'aria-hidden': true}, '━'),
                      ` ${side.label}${CURVE_NAMES[curve.kind]}`);
    const sizes = `${fullNumber(curve.sizes)} sizes, ${shortNumber(curve.least)} to ${shortNumber(curve.most)}`;
    const cells = [name, make('td', {class: 'answer'}, curve.words)];
    if (curve.answer === ANSWER_FEW_POINTS)
        return [...cells, make('td', {colspan: 4, class: 'quiet'}, `too few sizes: ${sizes}`)];
    if (curve.answer === ANSWER_NO_FIT)
        return [...cells, make('td', {colspan: 4, class: 'quiet'}, `no simple curve: ${sizes}`)];
    const power = curve.power ? `n^${curve.power.exponent.toFixed(2)} (${curve.power.low.toFixed(2)} to ${curve.power.high.toFixed(2)})` : DASH;
    const ahead = curve.ahead !== null && curve.ahead < 1e6 ? curve.ahead.toFixed(1) : 'far';
    const why = [...curve.rival.name === curve.best.name ? [] : [`better than ${curve.rival.name} by ${ahead}`],
                 `off by ${(100 * curve.best.spread).toFixed(1)} %`, sizes];
    if (curve.pattern)
        why.push('the residuals have a pattern, so another curve may be right');
    return [...cells, make('td', {}, curve.best.formula), make('td', {}, curve.best.rSquared === null ? DASH : curve.best.rSquared.toFixed(4)),
            make('td', {}, power), make('td', {class: 'quiet'}, why.join('; '))];
}

function detailFits()
{
    const heads = ['curve', 'growth', 'formula', 'R²', 'power law (95 %)', 'why'];
    const rows = sides().flatMap((side) => CURVE_ORDER.flatMap((kind) => side.row.curves.filter((curve) => curve.kind === kind)).map((curve) => make('tr', {}, ...curveCells(side, curve))));
    return [make('thead', {}, make('tr', {}, ...heads.map((head) => make('th', {scope: 'col'}, head)))), make('tbody', {}, ...rows)];
}

/* Mean costs at equal sizes, each size weighted by the calls that both reports have. */
function equalSizes(a, b)
{
    const p = rowPoints(a), q = rowPoints(b);
    let common = 0, base = 0, over = 0;
    for (let i = 0, k = 0; i < p.count && k < q.count;) {
        if (p.input[i] === q.input[k]) {
            const calls = Math.min(p.calls[i], q.calls[k]);
            base += calls * p.sum[i] / p.calls[i];
            over += calls * q.sum[k] / q.calls[k];
            common++;
        }
        const left = p.input[i], right = q.input[k];
        i += left <= right;
        k += right <= left;
    }
    return {common, ratio: base > 0 ? over / base : null};
}

function pairWords(entry)
{
    if (state.b === '')
        return '';
    if (!entry.a || !entry.b)
        return entry.a ? 'This routine is only in the first report (●).' : 'This routine is only in the second report (▲).';
    const {common, ratio} = equalSizes(entry.a, entry.b);
    const sizes = ratio === null ? 'The reports have no input size of this routine in common.'
        : `At the ${common === 1 ? 'one input size' : `${fullNumber(common)} input sizes`} in common, ▲ costs ${ratio.toFixed(2)} times what ● costs.`;
    return [sizes, ...changedPlaces(entry)].join(' ');
}

function contextHead(row)
{
    return [`Only ${row.words} `, make('button', {type: 'button', title: 'Esc', onclick: () => update({context: ''}, true)}, 'All contexts')];
}

/* ---------------------------------------------------------------- Copying */

function pointsText(row)
{
    const points = rowPoints(row);
    const lines = [POINT_FIELDS.join('\t')];
    for (let i = 0; i < points.count; i++)
        lines.push(POINT_FIELDS.map((field) => points[field][i]).join('\t'));
    return `${lines.join('\n')}\n`;
}

/* A page that is opened from disk may lack the clipboard API. */
async function copyText(text, button)
{
    try {
        await navigator.clipboard.writeText(text);
    } catch {
        const area = make('textarea', {class: 'hidden'}, text);
        document.body.append(area);
        area.select();
        document.execCommand('copy');
        area.remove();
    }
    const label = button.textContent;
    button.textContent = 'copied';
    setTimeout(() => {
        button.textContent = label;
    }, 1200);
}

/* ---------------------------------------------------------------- Building */

function switchMake(label, isOn, change, key)
{
    const box = make('input', {type: 'checkbox', 'data-switch': label, onchange: () => change(box.checked)});
    box.checked = isOn();
    detail.switches.push(() => {
        box.checked = isOn();
    });
    return make('label', {title: key ? `key ${key}` : null}, box, label);
}

function flagSwitch(label, name, key)
{
    return switchMake(label, () => state[name] === '1', (on) => update({[name]: on ? '1' : '', ...(name === 'fit' ? {} : {zoom: ''})}), key);
}

function kindSwitch(kind)
{
    const change = (on) => {
        const shown = COST_KINDS.filter((other) => other === kind ? on : shownKinds().includes(other));
        update({show: shown.map((other) => other.id).join(',')});
    };
    return switchMake(kind.label, () => shownKinds().includes(kind), change, null);
}

function perSelect()
{
    const choices = ['', ...data.classes.filter((name) => name !== '1')];
    const select = make('select', {'data-switch': 'per', onchange: () => update({per: select.value, zoom: ''})},
                        ...choices.map((name) => make('option', {value: name}, name === '' ? 'nothing' : name)));
    select.value = state.per;
    detail.switches.push(() => {
        select.value = state.per;
    });
    return make('label', {title: 'The curve is horizontal if the cost grows as this function'}, 'divided by ', select);
}

function detailBuild()
{
    detail.section = find('detail');
    detail.switches = [];
    detail.title = make('h2', {tabindex: -1});
    detail.place = make('p', {class: 'quiet'});
    detail.pair = make('p', {class: 'paired'});
    detail.answer = make('div', {class: 'claims'});
    detail.facts = make('dl', {});
    detail.charts = make('div', {class: 'charts'});
    detail.work = make('div', {class: 'charts'});
    detail.legend = make('div', {class: 'legend'});
    detail.note = make('span', {class: 'quiet note'});
    detail.fits = make('table', {class: 'fits'});
    const copyPoints = make('button', {type: 'button', class: 'spare', title: 'as lines with tabs', onclick: () => copyText(pointsText(detail.entry.main), copyPoints)}, 'Copy points');
    const copyLink = make('button', {type: 'button', onclick: () => copyText(location.href, copyLink)}, 'Copy link');
    const close = make('button', {type: 'button', 'aria-label': 'Close', title: 'Esc', onclick: () => update({r: '', zoom: ''}, true)}, '✕');
    const show = make('div', {class: 'switches', role: 'group', 'aria-label': 'What is drawn'},
                      ...COST_KINDS.map(kindSwitch), flagSwitch('claimed curve', 'fit', 'f'), flagSwitch('log x', 'logx', 'x'),
                      flagSwitch('log y', 'logy', 'y'), perSelect());
    const workHead = make('div', {class: 'switches'}, make('b', {}, 'Workload'), flagSwitch('log activations', 'logcalls', null));
    detail.panels = {
        '': make('div', {}, show, make('div', {class: 'above'}, detail.legend, detail.note), detail.charts, workHead, detail.work,
                 detail.facts, make('details', {class: 'how'}, make('summary', {}, 'Fitted curves'), make('div', {class: 'scroll'}, detail.fits))),
        calls: make('div', {class: 'calls'}),
        code: make('div', {class: 'code'}),
    };
    detail.section.append(make('div', {class: 'title'}, detail.title, copyPoints, copyLink, close), detail.place, detail.answer, detail.pair,
                          tabsBuild(), ...Object.values(detail.panels));
    new ResizeObserver(detailResize).observe(detail.section);
    window.addEventListener('beforeprint', () => detailPrint(true));
    window.addEventListener('afterprint', () => detailPrint(false));
}

/* ---------------------------------------------------------------- Tabs */

function tabsBuild()
{
    detail.tabs = TABS.map(([tab, label], i) => make('button', {type: 'button', role: 'tab', id: `tab-${tab}`, title: `key ${i + 1}`,
                                                                onclick: () => update({tab})}, label));
    TABS.forEach(([tab, label]) => {
        detail.panels[tab].setAttribute('role', 'tabpanel');
        detail.panels[tab].setAttribute('aria-label', label);
    });
    return make('div', {class: 'tabs', role: 'tablist'}, ...detail.tabs);
}

/* The panel is shown first, because plots take their width from the panel. */
function panelFill(tab)
{
    detail.panels[tab].hidden = false;
    if (tab === 'calls')
        detail.panels.calls.replaceChildren(...callsPanel());
    else if (tab === 'code')
        detail.panels.code.replaceChildren(...codePanel());
    else
        growthPanel();
}

/* Only the open panel has contents; on paper, all panels have contents. */
function panelsUpdate()
{
    detail.plots.forEach(plotRemove);
    detail.plots = [];
    detail.panels.calls.replaceChildren();
    detail.panels.code.replaceChildren();
    TABS.forEach(([tab], i) => {
        detail.panels[tab].hidden = true;
        detail.tabs[i].setAttribute('aria-selected', tab === state.tab);
        if (detail.isPrinting || tab === state.tab)
            panelFill(tab);
    });
}

function detailPrint(isPrinting)
{
    detail.isPrinting = isPrinting;
    if (detail.entry)
        panelsUpdate();
}

function growthPanel()
{
    detail.facts.replaceChildren(...detailFacts(detail.entry));
    detail.fits.replaceChildren(...detailFits());
    detailPlots();
}

function detailResize()
{
    const width = Math.max(280, detail.charts.clientWidth);
    for (const plot of detail.plots) {
        if (plot.uplot.width !== width)
            plot.uplot.setSize({width, height: plot.uplot.height});
    }
}

/* Applies the state: another routine, or other options for drawing the routine. */
function detailUpdate()
{
    const entry = state.r === '' ? null : tableEntry(state.r);
    detail.section.hidden = !entry;
    find('main').classList.toggle('with-detail', Boolean(entry));
    detail.switches.forEach((refresh) => refresh());
    if (!entry) {
        detail.plots.forEach(plotRemove);
        detail.plots = [];
        detail.entry = null;
        return;
    }
    if (detail.entry && detail.entry !== entry)
        requestAnimationFrame(() => detail.section.scrollTo(0, 0)); /* an immediate scroll would cause a second layout */
    detail.entry = entry;
    const row = entry.main;
    const where = row.file ? `${row.file}${row.line ? `:${row.line}` : ''}` : '';
    detail.title.textContent = row.name + (row.thread ? `, thread ${row.thread}` : '');
    detail.place.textContent = [where, `${row.object || '???'} + ${row.offset}`, row.whole !== row.name ? row.whole : '', row.symbol !== row.whole ? row.symbol : ''].filter(Boolean).join('  ·  ');
    detail.answer.replaceChildren(...detailAnswer());
    detail.pair.replaceChildren(...contextShown() ? contextHead(contextShown()) : [pairWords(entry)]);
    panelsUpdate();
}
