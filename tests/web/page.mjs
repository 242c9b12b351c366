// Drives the pages that page.sh made, in Chromium, and prints how fast they are.
// SPDX-License-Identifier: GPL-2.0-or-later
//
// Usage: see browser.mjs. Times are printed and not judged: a loaded machine is no error. One limit is
// far off: FAR_MS.
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {close, folder, hasColour, open, picture, runTests, test} from './browser.mjs';

const FAR_MS = 10000;

// ---------------------------------------------------------------- Helpers

const names = (page) => page.$$eval('.row', (rows) => rows
    .sort((l, r) => l.dataset.index - r.dataset.index).map((row) => row.querySelector('.name b').textContent));
const cells = (page, column) => page.$$eval('.row', (rows, id) => {
    const at = [...document.querySelector('.head').children].findIndex((cell) => cell.dataset.column === id);
    return rows.sort((l, r) => l.dataset.index - r.dataset.index).map((row) => row.children[at].textContent);
}, column);
const plot = (page, name, which = 0) => page.locator('.plot').nth(which).getAttribute(`data-${name}`);
const row = (page, name) => page.locator('.row', {hasText: name}).first();

const plotFills = (page) => page.evaluate(() => document.querySelector('.plot canvas').clientWidth >= document.querySelector('.charts').clientWidth - 1);

// Measures the time from an action in the page until the next frame is sent.
const timed = (page, action) => page.evaluate(async (body) => {
    const start = performance.now();
    new Function(body)();
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    return performance.now() - start;
}, action);

// The processor time of the page's scripts, which other load does not change.
async function scriptTime(page) {
    page.session ??= await page.context().newCDPSession(page);
    await page.session.send('Performance.enable', {timeDomain: 'threadTicks'});
    const {metrics} = await page.session.send('Performance.getMetrics');
    return 1000 * metrics.find((metric) => metric.name === 'ScriptDuration').value;
}

// ---------------------------------------------------------------- Tests

test('the table has the routines, the steepest first', async (browser) => {
    const page = await open(browser, 'one.html');
    const shown = await names(page);
    assert.equal(shown[0], 'bubble_sort');
    assert.ok(shown.includes('tree_lookup'));
    assert.equal((await cells(page, 'worst'))[0], 'n^2');
    assert.equal(await page.locator('h1').textContent(), './growth');
    assert.equal(await page.locator('.overlay').first().isVisible(), false);
    await page.waitForTimeout(100);
    assert.ok(await hasColour(page, '.row canvas', '--base'), 'the thumbnail is empty');
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(wide <= 0, 'the page is wider than the window');
    await picture(page, 'table');
    await close(page);
});

test('columns sort both ways', async (browser) => {
    const page = await open(browser, 'one.html');
    const button = page.locator('[data-column=calls] button');
    const numbers = async () => (await cells(page, 'calls')).map((text) => parseFloat(text) * (text.endsWith('k') ? 1000 : 1));
    await button.click();
    const down = await numbers();
    assert.deepEqual(down, [...down].sort((l, r) => r - l));
    assert.equal(await page.locator('[data-column=calls]').getAttribute('aria-sort'), 'descending');
    await button.click();
    const up = await numbers();
    assert.deepEqual(up, [...up].sort((l, r) => l - r));
    await page.locator('[data-column=name] button').click();
    const shown = await names(page);
    assert.deepEqual(shown, [...shown].sort());
    await close(page);
});

test('search and growth filter', async (browser) => {
    const page = await open(browser, 'one.html');
    await page.keyboard.press('/');
    await page.keyboard.type('SORT.c heap');
    assert.deepEqual(await names(page), ['heap_sort']);
    assert.match(await page.locator('#count').textContent(), /^1 of \d+ routines$/);
    await page.fill('#search', 'nothing has this name');
    assert.deepEqual(await names(page), []);
    await page.fill('#search', '');
    await page.selectOption('#growth', 'n2');
    assert.deepEqual(await names(page), ['bubble_sort']);
    await close(page);
});

test('a routine opens with its plots, fits and figures', async (browser) => {
    const page = await open(browser, 'one.html');
    await row(page, 'heap_sort').click();
    await row(page, 'bubble_sort').click();
    assert.ok(await plotFills(page), 'the plot is narrower than its panel');
    assert.equal(await page.locator('#detail h2').textContent(), 'bubble_sort');
    assert.equal(await page.locator('.plot').count(), 2);
    await page.keyboard.press('2');
    assert.match(await page.locator('.calls').textContent(), /has no callers and callees/);
    await page.keyboard.press('1');
    assert.ok(Number(await plot(page, 'drawn')) > 20);
    assert.ok(await hasColour(page, '.plot canvas', '--base'), 'no points');
    assert.match(await page.locator('.fits').textContent(), /n\^2/);
    assert.match(await page.locator('.claims').textContent(), /^n\^2: [\d.]+ n\^2.*; 10 x the input costs \d+ x \(\d+ to \d+\); validated up to \d+$/);
    assert.match(await page.locator('.legend').textContent(), /claimed/);
    await page.locator('[data-switch="claimed curve"]').uncheck();
    assert.doesNotMatch(await page.locator('.legend').textContent(), /claimed/);
    const two = Number(await plot(page, 'drawn'));
    await page.locator('[data-switch=average]').uncheck();
    assert.equal(Number(await plot(page, 'drawn')), two / 2);
    await page.locator('[data-switch=per]').selectOption('n^2');
    assert.match(page.url(), /per=n/);
    await page.locator('button[aria-label=Close]').click();
    assert.equal(await page.locator('#detail').isVisible(), false);
    await close(page);
});

test('axes become logarithmic', async (browser) => {
    const page = await open(browser, 'one.html');
    await row(page, 'heap_sort').click();
    assert.deepEqual([await plot(page, 'x'), await plot(page, 'y')], ['linear', 'linear']);
    await page.locator('[data-switch="log x"]').check();
    await page.keyboard.press('y');
    assert.deepEqual([await plot(page, 'x'), await plot(page, 'y'), await plot(page, 'x', 1)], ['log', 'log', 'log']);
    assert.match(page.url(), /logx=1&logy=1/);
    assert.ok(Number(await plot(page, 'drawn')) > 20);
    await page.locator('[data-switch="log activations"]').check();
    assert.equal(await plot(page, 'y', 1), 'log');
    await picture(page, 'logarithmic');
    await close(page);
});

test('points tell their numbers, to the mouse and to the keyboard', async (browser) => {
    const page = await open(browser, 'one.html');
    await row(page, 'bubble_sort').click();
    await page.locator('.plot').first().focus();
    await page.keyboard.press('ArrowRight');
    const first = await page.locator('.tip').first().textContent();
    assert.match(first, /worstinput10calls/);
    assert.match(await page.locator('#live').textContent(), /input 10, calls/);
    const ring = await page.locator('.ring').first().evaluate((element) => {
        const {left, top} = element.getBoundingClientRect();
        return [left, top];
    });
    await page.keyboard.press('ArrowRight');
    assert.notEqual(await page.locator('.tip').first().textContent(), first);
    await page.mouse.move(ring[0] + 30, ring[1] - 30);
    await page.mouse.move(ring[0] + 1, ring[1] - 1);
    assert.match(await page.locator('.tip').first().textContent(), /input1\d/);
    await page.mouse.move(5, 5);
    assert.equal(await page.locator('.tip').first().isVisible(), false);
    await close(page);
});

test('dragging zooms, a double click shows all', async (browser) => {
    const page = await open(browser, 'one.html');
    await row(page, 'bubble_sort').click();
    const all = Number(await plot(page, 'drawn'));
    const box = await page.locator('.plot .u-over').first().boundingBox();
    await page.mouse.move(box.x + 5, box.y + box.height - 60);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width / 2, box.y + box.height - 1, {steps: 4});
    await page.mouse.up();
    assert.match(page.url(), /zoom=/);
    const some = Number(await plot(page, 'drawn'));
    assert.ok(some > 0 && some < all, `${some} of ${all} points`);
    await page.locator('.plot .u-over').first().dblclick();
    assert.doesNotMatch(page.url(), /zoom=/);
    assert.equal(Number(await plot(page, 'drawn')), all);
    await close(page);
});

test('two reports lie over each other', async (browser) => {
    const page = await open(browser, 'two.html');
    assert.equal(await page.locator('h1').textContent(), 'Before and after');
    assert.match((await cells(page, 'worst')).join(), /n log n → /);
    assert.ok((await cells(page, 'ratio')).includes('new') && (await cells(page, 'ratio')).includes('gone'));
    await row(page, 'heap_sort').click();
    assert.ok(await hasColour(page, '.plot canvas', '--base') && await hasColour(page, '.plot canvas', '--over'));
    assert.match(await page.locator('.paired').textContent(), /sizes in common, ▲ costs [\d.]+ times/);
    const both = Number(await plot(page, 'drawn'));
    await picture(page, 'pair');
    await page.selectOption('#b', '');
    assert.equal(Number(await plot(page, 'drawn')), both / 2);
    await page.selectOption('#a', '1');
    assert.match((await cells(page, 'average')).join(), /n\^2/);
    await close(page);
});

test('an address leads to the same view', async (browser) => {
    const page = await open(browser, 'two.html');
    await page.fill('#search', 'sort');
    await page.locator('[data-column=name] button').click();
    await row(page, 'heap_sort').click();
    await page.keyboard.press('x');
    await page.locator('[data-switch=best]').check();
    const hash = new URL(page.url()).hash;
    const view = async (shown) => [await names(shown), await shown.locator('#detail h2').textContent(), await plot(shown, 'x'),
                                   await plot(shown, 'drawn'), await shown.locator('.legend').textContent()];
    const again = await open(browser, 'two.html', {hash});
    assert.deepEqual(await view(again), await view(page));
    await again.locator('button[aria-label=Close]').click();
    await again.goBack();
    assert.equal(await again.locator('#detail h2').textContent(), 'heap_sort');
    const odd = await open(browser, 'two.html', {hash: '#a=99&b=x&metric=?&r=nobody&per=toString&zoom=1,2&sort=odd'});
    assert.equal((await names(odd))[0], 'heap_sort'); // what changed most
    await close(odd);
    await close(again);
    await close(page);
});

test('everything works from the keyboard', async (browser) => {
    const page = await open(browser, 'one.html');
    const shown = await names(page);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    assert.equal(await page.locator('#detail h2').textContent(), shown[1]);
    await page.keyboard.press('End');
    assert.equal(await page.locator('#detail h2').textContent(), shown[shown.length - 1]);
    await page.keyboard.press('Home');
    assert.equal(await page.locator('#detail h2').textContent(), shown[0]);
    await page.keyboard.press('Escape');
    assert.equal(await page.locator('#detail').isVisible(), false);
    await page.keyboard.press('?');
    assert.equal(await page.locator('#keys').isVisible(), true);
    await close(page);
});

const table = (page, selector) => page.$$eval(`${selector} tbody tr`, (rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent)));

test('one walks along callers and callees', async (browser) => {
    const page = await open(browser, 'code.html');
    await row(page, 'find').click();
    await page.keyboard.press('2');
    assert.deepEqual(await table(page, '.callers'), [['main shop.cc:22', '100.0 %', '4', '300', '15']]);
    assert.deepEqual(await table(page, '.callees'), [['self cost', '60.0 %', '', '180', ''], ['compare book.h:9', '40.0 %', '8', '120', '2']]);
    await page.locator('.callers button', {hasText: 'main'}).click();
    assert.equal(await page.locator('#detail h2').textContent(), 'main');
    assert.match(page.url(), /tab=calls/);
    assert.deepEqual(await table(page, '.callers'), [['no caller, for example at the start of a thread', '100.0 %', '1', '1k', '']]);
    assert.deepEqual((await table(page, '.callees')).map((cells) => cells.slice(0, 3)), [['self cost', '70.0 %', ''], ['Book::find(int) book.cc:40', '30.0 %', '4']]);
    await picture(page, 'calls');
    await page.goBack();
    assert.equal(await page.locator('#detail h2').textContent(), 'Book::find(int)');
    await close(page);
});

test('lines, inlined code and source have their cost', async (browser) => {
    const page = await open(browser, 'source.html', {hash: '#r=shop!main!shop.cc&tab=code'});
    assert.deepEqual(await page.$$eval('.inlined li', (items) => items.map((item) => item.textContent)),
                     ['92.9 % insert called at shop.cc:308.6 % swap called at book.cc:7', '8.6 % swap called at book.cc:7']);
    const lines = await table(page, '.lines');
    assert.deepEqual(lines[0].slice(0, 3), ['57.1 %', '400', 'book.cc:6']);
    assert.match(lines[0][3], /book.cc has <this> at 6 in insert/);
    assert.equal(lines.reduce((sum, cells) => sum + Number(cells[1]), 0), 700);
    const source = await table(page, '.source');
    assert.deepEqual(source.find((cells) => cells[0] === '6').slice(1), ['57.1 %', '    book.cc has <this> at 6']);
    assert.ok(source.some((cells) => cells[0] === '34' && /→ Book::find\(int\) 1×, 8.0 %/.test(cells[2])));
    await page.locator('[data-switch=whole]').check();
    assert.match(page.url(), /whole=1/);
    assert.ok((await table(page, '.source')).some((cells) => cells[0] === '40' && cells[1] === '6.0 %'), 'the lines of find are missing');
    await picture(page, 'code');
    await close(page);
    const bare = await open(browser, 'code.html', {hash: '#r=shop!main!shop.cc&tab=code'});
    assert.equal(await bare.locator('.source').count(), 0);
    assert.match(await bare.locator('.code').textContent(), /--embed-source/);
    await close(bare);
    const old = await open(browser, 'one.html', {hash: '#tab=code'});
    await row(old, 'heap_sort').click();
    assert.match(await old.locator('.code').textContent(), /has no costs of lines/);
    await close(old);
});

test('library code that is inlined counts for the line of the program', async (browser) => {
    const page = await open(browser, 'library.html', {hash: '#r=shop!main!shop.cc&tab=code'});
    const line = (await table(page, '.lines')).find((cells) => cells[2] === 'book.cc:7');
    assert.deepEqual(line.slice(0, 2), ['14.3 %', '100']);
    assert.match(line[3], /book.cc has <this> at 7 in insert= inlined swap 8.6 %/);
    assert.ok(!(await page.locator('.code').textContent()).includes('book.h'));
    await page.locator('[data-switch=whole]').check();
    assert.equal((await table(page, '.source')).find((cells) => cells[0] === '7')[1], '10.0 %');
    await close(page);
});

test('with --mine, system libraries are hidden at first', async (browser) => {
    const page = await open(browser, 'mine.html');
    assert.deepEqual((await names(page)).sort(), ['Book::find(int)', 'main']);
    await close(page);
    const all = await open(browser, 'mine.html', {hash: '#object='});
    assert.equal((await names(all)).length, 3);
    await close(all);
});

test('the page and the report say the same of calls and lines', async (browser) => {
    const truth = readFileSync(join(folder, 'code.truth'), 'utf8').trim().split('\n').map((line) => line.split('\t'));
    const page = await open(browser, 'code.html');
    for (const routine of new Set(truth.map((fields) => fields[0]))) {
        const told = (what) => truth.filter((fields) => fields[0] === routine && fields[1] === what).map((fields) => fields.slice(2));
        await row(page, routine).click();
        await page.keyboard.press('2');
        for (const what of ['callers', 'callees']) {
            const shown = (await table(page, `.${what}`)).filter((cells) => !/^(self cost|no caller)/.test(cells[0]));
            assert.deepEqual(shown.map((cells) => [cells[0].replace(/ \S+$/, ''), cells[1].replace(' %', ''), cells[2]]), told(what), `${what} of ${routine}`);
        }
        await page.keyboard.press('3');
        assert.deepEqual((await table(page, '.lines')).map((cells) => [cells[2].replace('unknown place', '?'), cells[0].replace(' %', ''), cells[1]]), told('lines'), `lines of ${routine}`);
    }
    await close(page);
});

test('of two reports, calls and lines come by what changed', async (browser) => {
    const page = await open(browser, 'changed.html', {hash: '#b=1'});
    await row(page, 'compare').click();
    const words = () => page.locator('.paired').textContent();
    assert.equal(await words(), 'At the one input size in common, ▲ costs 1.00 times what ● costs. ' +
        'Its self cost changed most at book.h:12 (10 before): 60 → 1.14k. Calls by Book::find(int): 8 → 80.');
    await page.keyboard.press('3');
    assert.deepEqual(await table(page, '.changes'), [['+1.08k', '60', '1.14k', 'book.h:12 (10 before)', 'book.h has <this> at 12']]);
    await picture(page, 'changes');
    await row(page, 'find').click();
    assert.match(await words(), /times what ● costs. The callee whose cost changed most is compare: 120 → 1.2k.$/);
    assert.equal(await page.locator('.changes').count(), 0);
    assert.match(await page.locator('.code').textContent(), /The lines of this routine cost the same in both reports/);
    await page.keyboard.press('2');
    assert.deepEqual(await table(page, '.callees'), [['compare book.h:9', '+1.08k', '120', '1.2k', '8', '80', '2', '2'],
                                                     ['self cost', '0', '180', '180', '–', '–', '–', '–']]);
    assert.deepEqual(await table(page, '.callers'), [['main shop.cc:22', '+1.08k', '300', '1.38k', '4', '4', '15', '15']]);
    await picture(page, 'changed-calls');
    await close(page);
    const half = await open(browser, 'uncoded.html', {hash: '#b=1&tab=calls'});
    await row(half, 'find').click();
    assert.match(await half.locator('.paired').textContent(), /times what ● costs.$/);
    assert.match(await half.locator('.calls').textContent(), /Only one of the reports has callers and callees/);
    assert.deepEqual((await table(half, '.callees')).map((cells) => cells[1]), ['–', '–']);
    await half.keyboard.press('3');
    assert.equal(await half.locator('.changes').count(), 0);
    await close(half);
    const phone = await open(browser, 'changed.html', {hash: '#b=1', width: 390});
    await row(phone, 'find').click();
    for (const tab of ['1', '2', '3']) {
        await phone.keyboard.press(tab);
        assert.ok(await phone.evaluate(() => document.getElementById('detail').scrollWidth <= innerWidth), `tab ${tab} is wider than the phone`);
    }
    await picture(phone, 'changed-phone');
    await close(phone);
});

test('changed inlined functions have rows, as in aprof diff', async (browser) => {
    const truth = JSON.parse(readFileSync(join(folder, 'slower.json'), 'utf8')).routines;
    const divided = truth.find((one) => one.inlined === 'insert');
    const page = await open(browser, 'slower.html', {hash: '#b=1'});
    assert.equal((await names(page))[0], 'insert (inlined in main)');
    assert.equal((await cells(page, 'change'))[0], '+2.45k');
    const self = async (name, side) => (await cells(page, side ? 'self2' : 'self'))[(await names(page)).indexOf(name)];
    for (const [name, one] of [['insert (inlined in main)', divided], ['main', truth.find((other) => other.name === 'main' && !other.inlined)]]) {
        assert.equal(await self(name, 0), (one.base.cost_self / 10).toFixed(1));
        assert.equal(await self(name, 1), (one.new.cost_self / 34.5).toFixed(1));
    }
    assert.match(await page.locator('#findings').textContent(), /Largest rise of self cost: insert \(inlined in main\), by 2.45k/);
    await row(page, 'insert (inlined in main)').click();
    assert.equal(await page.locator('#detail h2').textContent(), 'main');
    await picture(page, 'changed-inlined');
    await page.fill('#search', 'insert');
    assert.deepEqual(await names(page), ['insert (inlined in main)']);
    await close(page);
    const turned = await open(browser, 'slower.html', {hash: '#a=1&b=0'});
    assert.equal((await cells(turned, 'change'))[(await names(turned)).indexOf('insert (inlined in main)')], '−2.45k');
    await close(turned);
});

test('a routine that moved to another file is one row of a comparison', async (browser) => {
    const page = await open(browser, 'renamed.html', {hash: '#b=1'});
    assert.deepEqual((await names(page)).sort(), ['Book::find(int)', 'compare', 'main']);
    assert.deepEqual([...new Set(await cells(page, 'ratio'))], ['1.00']);
    await close(page);
});

test('names fit into their column and differ', async (browser) => {
    for (const width of [1440, 1024, 390]) {
        const page = await open(browser, 'long.html', {width});
        const cut = await page.$$eval('.row .name b', (all) => all.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.textContent));
        assert.deepEqual(cut, [], `at ${width}`);
        assert.equal(new Set(await names(page)).size, 3, `at ${width}: ${await names(page)}`);
        await close(page);
    }
});

test('a flame graph zooms, is searched and leads to routines', async (browser) => {
    const page = await open(browser, 'code.html');
    const words = () => page.locator('#flame .words').textContent();
    await page.keyboard.press('g');
    assert.equal(await page.locator('#table').isVisible(), false);
    assert.equal(await page.locator('#flame canvas').getAttribute('data-frames'), '4');
    assert.match(await page.locator('#flame').textContent(), /Approximated from calls/);
    assert.match(await words(), /^all 1,000 instructions in all/);
    await page.keyboard.press('ArrowDown');
    assert.match(await words(), /^main 100.0 % of the total cost \(1,000\); self cost 70.0 %/);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    assert.match(page.url(), /view=flame&frame=2/);
    await page.keyboard.press('ArrowDown');
    assert.match(await words(), /^compare 12.0 % of the total cost \(120\), 40.0 % of Book::find\(int\)/);
    await page.keyboard.press('o');
    assert.equal(await page.locator('#detail h2').textContent(), 'compare');
    await page.fill('#search', 'compare');
    assert.equal(await page.locator('.found').textContent(), '40.0 % found');
    await picture(page, 'flame');
    const again = await open(browser, 'code.html', {hash: new URL(page.url()).hash});
    assert.equal(await again.locator('.found').textContent(), '40.0 % found');
    await close(again);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Escape');
    assert.doesNotMatch(page.url(), /frame=/);
    await page.locator('#flame canvas').click({position: {x: 40, y: 50}});
    assert.match(page.url(), /frame=2/);
    assert.equal(await page.locator('#detail h2').textContent(), 'Book::find(int)');
    await close(page);
    const contexts = await open(browser, 'contexts.html', {hash: '#view=flame&frame=99999'});
    assert.match(await contexts.locator('#flame').textContent(), /Recorded calling contexts/);
    await close(contexts);
    const bare = await open(browser, 'one.html', {hash: '#view=flame'});
    assert.match(await bare.locator('#flame').textContent(), /has no callers and callees/);
    await close(bare);
});

test('a curve that is not claimed is not drawn, and one size says so', async (browser) => {
    const page = await open(browser, 'two.html', {hash: '#b=&r=growth!setup!growth.c'});
    for (const name of await names(page)) {
        await row(page, name).click();
        const claims = await page.locator('.claims').textContent(), legend = await page.locator('.legend').textContent();
        assert.equal(/claimed/.test(legend), /10 x the input|^1: /.test(claims), `${name}: ${claims} and ${legend}`);
        if (/^1 /.test(await page.locator('#detail dl div:nth-child(2) dd').textContent()))
            assert.match(claims, /one input size/);
    }
    await close(page);
});

test('a search without a routine offers where its words are inlined', async (browser) => {
    const page = await open(browser, 'code.html');
    await page.fill('#search', 'swap');
    assert.match(await page.locator('.nothing').textContent(), /No routine matches.swap is inlined in main: 6.0 % of the total cost/);
    await page.locator('.nothing button').click();
    assert.equal(await page.locator('#detail h2').textContent(), 'main');
    await close(page);
});

test('a flame graph of two reports compares them, and is turned round', async (browser) => {
    const page = await open(browser, 'changed.html', {hash: '#view=flame'});
    const words = () => page.locator('#flame .words').textContent();
    assert.match(await page.locator('#flame').textContent(), /As wide as in ▲/);
    assert.match(await words(), /● 1,000, ▲ 2,080, 2.08 times as much/);
    await page.locator('#flame [data-switch=inverted]').check();
    assert.match(page.url(), /turn=1/);
    await page.locator('#flame canvas').focus();
    await page.keyboard.press('ArrowDown');
    assert.match(await words(), /^compare .*; ● 120, ▲ 1,200, 10.00 times as much/);
    await page.keyboard.press('ArrowDown');
    assert.match(await words(), /^Book::find\(int\)/);
    await picture(page, 'flame-changed');
    await close(page);
    const folded = await open(browser, 'contexts.html', {hash: '#view=flame'});
    const frames = async () => Number(await folded.locator('#flame canvas').getAttribute('data-frames'));
    const all = await frames();
    await folded.locator('#flame [data-switch="fold recursion"]').check();
    assert.ok(await frames() <= all);
    await close(folded);
});

test('mine is what aprof report --mine has', async (browser) => {
    const page = await open(browser, 'large.html');
    await page.keyboard.press('m');
    assert.equal(await page.locator('#count').textContent(), '2,500 of 5,000 routines');
    assert.match(page.url(), /object=mine/);
    await page.selectOption('#object', '/libgenerated.so.1');
    assert.equal(await page.locator('#count').textContent(), '2,500 of 5,000 routines');
    assert.ok((await names(page)).every((name) => Number(name.slice('routine_'.length)) >= 2500));
    await close(page);
});

test('the page begins and ranks as aprof report does', async (browser) => {
    const lines = (name) => readFileSync(join(folder, name), 'utf8').trim().split('\n');
    const page = await open(browser, 'startup.html');
    assert.equal(await page.locator('#findings').textContent(), lines('startup.txt').join(' '));
    assert.equal(await page.locator('#advice').isVisible(), lines('advice.txt').join('') !== '');
    assert.deepEqual(await names(page), lines('startup.order'));
    await row(page, 'start-up').click();
    assert.match(page.url(), /startup=1/);
    assert.ok((await names(page)).includes('_start'));
    await page.keyboard.press('Escape');
    assert.deepEqual(await names(page), lines('startup.order'));
    await close(page);
    const pair = await open(browser, 'two.html');
    assert.match(await pair.locator('#findings').textContent(), /^● costs .*, ▲ .* times as much\. Largest rise of self cost: \w+, by .*\. Largest fall: \w+, by /);
    await close(pair);
});

test('a phone has the routine and its share, paper has all', async (browser) => {
    const page = await open(browser, 'source.html', {width: 390});
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'wider than the phone');
    assert.deepEqual((await cells(page, 'self')), ['70.0', '18.0', '12.0']);
    await row(page, 'main').click();
    for (const tab of ['1', '2', '3']) {
        await page.keyboard.press(tab);
        assert.ok(await page.evaluate(() => document.getElementById('detail').scrollWidth <= innerWidth), `tab ${tab} is wider than the phone`);
    }
    await picture(page, 'phone');
    await page.emulateMedia({colorScheme: 'dark'});
    await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
    await page.emulateMedia({media: 'print', colorScheme: 'light'}); // as of a page that is dark on the screen
    for (const what of ['.plot', '.callers', '.source'])
        assert.ok(await page.locator(what).first().isVisible(), `no ${what} on paper`);
    assert.ok(await plotFills(page), 'the plot is narrower than paper');
    assert.equal(await page.locator('.bar').isVisible(), false);
    await page.evaluate(() => dispatchEvent(new Event('afterprint')));
    await page.emulateMedia({media: 'screen', colorScheme: 'light'});
    assert.equal(await page.locator('.plot').count(), 0);
    await close(page);
    const large = await open(browser, 'large.html');
    await large.evaluate(() => dispatchEvent(new Event('beforeprint')));
    assert.equal(await large.locator('.row').count(), 100);
    await close(large);
});

test('the columns tell what they say', async (browser) => {
    const page = await open(browser, 'one.html');
    await page.locator('#help').click();
    assert.match(await page.locator('#meanings').textContent(), /Self %Share of the total cost, own code only/);
    assert.equal(await page.locator('#meanings dt').count(), 13);
    await close(page);
});

test('a context has a plot of its own', async (browser) => {
    const page = await open(browser, 'contexts.html');
    await row(page, 'insert').click();
    assert.equal(Number(await plot(page, 'drawn')), 2 * 21);
    const words = () => page.locator('.paired').textContent();
    await page.keyboard.press('2');
    assert.deepEqual(await table(page, '.contexts'), [['insert < parse < main', '97.9 %', '21', 'n^2'], ['insert < load < main', '2.1 %', '21', 'n']]);
    await page.locator('.contexts button', {hasText: 'load'}).click();
    assert.match(page.url(), /context=2/);
    assert.equal(await words(), 'Only insert < load < main All contexts');
    assert.match(await page.locator('.fits').textContent(), /average *n3 n/);
    await picture(page, 'context');
    const again = await open(browser, 'contexts.html', {hash: new URL(page.url()).hash});
    assert.match(await again.locator('.paired').textContent(), /Only insert < load/);
    await close(again);
    await row(page, 'parse').click();
    assert.equal(await words(), '');
    assert.doesNotMatch(page.url(), /context=/);
    await close(page);
});

test('runs of several sizes tell what aprof scale tells', async (browser) => {
    const page = await open(browser, 'scale.html');
    await page.locator('#view-scale').click();
    assert.match(page.url(), /view=scale/);
    const [head, ...wanted] = readFileSync(join(folder, 'scale.tsv'), 'utf8').trim().split('\n').map((line) => line.split('\t'));
    const shown = await table(page, '#scale');
    const column = (name) => wanted.map((cells) => cells[head.indexOf(name)]);
    assert.deepEqual(shown.map((cells) => cells[0]), column('routine'));
    assert.deepEqual(shown.map((cells) => cells[4]), column('growth'));
    assert.ok(shown.some((cells) => /^rises: /.test(cells[5])));
    await picture(page, 'scale');
    await page.locator('#scale button').first().click();
    assert.equal(await page.locator('#detail h2').textContent(), shown[0][0]);
    await close(page);
    const phone = await open(browser, 'scale.html', {hash: '#view=scale', width: 390});
    assert.ok(await phone.evaluate(() => document.getElementById('scale').scrollWidth <= innerWidth), 'wider than the phone');
    await close(phone);
    const pair = await open(browser, 'two.html', {hash: '#view=scale'});
    assert.equal(await pair.locator('#view-scale').isVisible(), false);
    assert.equal(await pair.locator('#table').isVisible(), true);
    await close(pair);
});

test('hostile names are text', async (browser) => {
    const page = await open(browser, 'hostile.html');
    assert.equal(await page.locator('#hole').count(), 0);
    assert.ok((await names(page)).includes('</script><b id="hole">'));
    await close(page);
});

test('empty, threaded and unlike reports open', async (browser) => {
    const none = await open(browser, 'none.html');
    assert.deepEqual(await names(none), []);
    await close(none);
    const threads = await open(browser, 'threads.html');
    assert.match(await threads.locator('.row').first().textContent(), /thread \d/);
    await close(threads);
    const several = await open(browser, 'several.html', {dark: true});
    for (const name of await names(several))
        await row(several, name).click();
    await close(several);
});

test('5 000 routines and 200 000 points', async (browser) => {
    const page = await open(browser, 'large.html');
    const entry = (name) => page.evaluate((wanted) => performance.getEntriesByName(wanted)[0].startTime, name);
    assert.equal(await page.locator('#count').textContent(), '5,000 routines');
    const elements = await page.locator('.row').count();
    assert.ok(elements > 10 && elements < 100, `${elements} rows have elements`);
    const times = {'first paint': await entry('first-contentful-paint'), 'table ready': await entry('aprof-ready')};
    const click = (selector) => `document.querySelector('${selector}').click()`;
    times.scroll = await timed(page, "document.querySelector('.grid').scrollTop = 90000");
    assert.ok((await page.locator('.row').first().getAttribute('aria-rowindex')) !== null);
    times.sort = await timed(page, click('[data-column=calls] button'));
    times.search = await timed(page, "const s = document.getElementById('search'); s.value = '_12'; s.dispatchEvent(new Event('input'))");
    times['open a routine'] = await timed(page, click('.row'));
    times['next routine'] = await timed(page, "document.querySelector('.grid').dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowDown'}))");
    times['log axis'] = await timed(page, click('[data-switch="log x"]'));
    await picture(page, 'large');
    await close(page);
    const dense = await open(browser, 'dense.html');
    await dense.waitForTimeout(500); // the thumbnails
    const before = await scriptTime(dense);
    times['open 60 000 points'] = await timed(dense, click('.row'));
    times['of that script, in processor time'] = await scriptTime(dense) - before;
    times['log axis, 60 000 points'] = await timed(dense, click('[data-switch="log y"]'));
    const box = await dense.locator('.plot .u-over').first().boundingBox();
    await dense.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await picture(dense, 'dense');
    await close(dense);
    for (const [what, time] of Object.entries(times)) {
        console.log(`    ${what}: ${time.toFixed(0)} ms`);
        assert.ok(time < FAR_MS, `${what}: ${time} ms`);
    }
});

await runTests();
