/* Runs of several sizes: the predicted cost of a run ten times as large, as in `aprof scale`.
 * SPDX-License-Identifier: BSD-2-Clause
 */
'use strict';

/* Makes the line of a routine of data.scale. The line links to the routine's row, if a report with
 * the metric has the row. */
function scaleRow([report, routine, share, later, low, high, growth, why, rises, inlined])
{
    const rows = reportRows(report, state.metric), metric = data.reports[report].metrics[state.metric];
    const at = metric && metric.byRoutine.get(routine);
    const name = routineName(data.reports[report], routine);
    const link = routineLink(at ? rows[at[0]] : null, name);
    return make('tr', {class: rises ? 'rises' : null},
                make('th', {scope: 'row'}, ...inlined ? [`${inlined} (inlined in `, link, ')'] : [link]), shareCell('td', share), shareCell('td', later),
                make('td', {class: 'number spare'}, `${sharePercent(low)} to ${sharePercent(high)} %`), make('td', {}, growth),
                make('td', {}, `${rises ? 'rises: ' : ''}${why}`));
}

function scaleBuild()
{
    if (!data.scale)
        return;
    const {sizes, axis, routines} = data.scale;
    const heads = [['Routine', 'Self cost', ''], ['now', 'Share of all self cost in the largest run', 'number'],
                   ['at 10 ×', 'Predicted share in a run ten times as large', 'number'], ['between', '90 % interval of the prediction', 'number spare'],
                   ['self cost', 'Growth of the self cost with the size of the run', ''], ['why', 'Reason for the growth', '']];
    find('scale').append(make('p', {class: 'quiet'}, `Runs of the sizes ${sizes.map(shortNumber).join(', ')} (${axis}); predicted size: ${shortNumber(10 * sizes[sizes.length - 1])}.`),
                         make('table', {class: 'list'}, make('thead', {}, make('tr', {}, ...heads.map(([head, meaning, kind]) => make('th', {scope: 'col', class: kind, title: meaning}, head)))),
                              make('tbody', {}, ...routines.map(scaleRow))));
}

function scaleUpdate()
{
    find('scale').hidden = state.view !== 'scale';
}
