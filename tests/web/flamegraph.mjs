// Presses the switches of pictures that flamegraph.sh drew, in Chromium.
// SPDX-License-Identifier: GPL-2.0-or-later
//
// Usage: see browser.mjs. NAME-OPTIONS.svg is drawn with the options i (inverted), r (folded recursion) and
// f (focus).
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {pathToFileURL} from 'node:url';
import {close, folder, open, picture, runTests, test} from './browser.mjs';

const NAMES = ['walk', 'all', 'edges', 'contexts', 'base'];
const FOCUS = {walk: 'twice', all: 'odd', edges: 'odd', contexts: 'parse', base: 'twice'};
const FORMS = ['', 'i', 'r', 'ir', 'f', 'fi', 'fr', 'fir'];

// Everything that a reader sees of the frames, from the lowest level to the highest.
const FRAME = /<g class="f" data-x="(.*?)" data-w="(.*?)" data-name="(.*?)"><title>(.*?)<\/title><rect x="(.*?)" y="(.*?)" width="(.*?)" height="15" fill="(.*?)" rx="1"\/><text x="(.*?)" y="(.*?)">(.*?)<\/text><\/g>/g;
const inOrder = (frames) => frames.map(([x, w, name, title, left, y, ...rest]) => [y.padStart(5), x.padStart(12), w.padStart(12), name, title, left, ...rest].join(' ')).sort();
const framesOf = async (page) => inOrder(await page.$$eval('.f', (frames) => frames.map((frame) => {
    const rect = frame.querySelector('rect'), text = frame.querySelector('text');
    const {x, w, name} = frame.dataset;
    return [x, w, name, frame.querySelector('title').textContent, rect.getAttribute('x'), rect.getAttribute('y'), rect.getAttribute('width'), rect.getAttribute('fill'),
            text.getAttribute('x'), text.getAttribute('y'), text.textContent];
})));

const heightOf = (page) => page.evaluate(() => `${document.documentElement.getAttribute('height')} ${document.documentElement.getAttribute('viewBox')}`);
const status = (page) => page.locator('#status').textContent();
const frame = (page, name) => page.locator(`.f[data-name="${name}"]`).first();

// The picture as the command drew it, without its script.
function still(file) {
    const text = readFileSync(join(folder, file), 'utf8');
    const words = (markup) => markup.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(code));
    const frames = inOrder([...text.matchAll(FRAME)].map(([, ...values]) => values.map(words)));
    assert.ok(frames.length > 1);
    assert.equal(frames.length, text.split('<g class="f"').length - 1);
    return {frames, height: text.match(/ height="(\d+)" viewBox="(.*?)"/).slice(1).join(' ')};
}

async function same(page, wanted, what) {
    assert.deepEqual(await framesOf(page), wanted.frames, what);
    assert.equal(await heightOf(page), wanted.height, what);
}

for (const name of NAMES) {
    test(`${name}: the script draws what the command drew`, async (browser) => {
        for (const form of ['', 'ir', 'f']) {
            const page = await open(browser, `${name}-${form}.svg`);
            await same(page, still(`${name}-${form}.svg`), form);
            await close(page);
        }
    });

    test(`${name}: each switch draws what its option draws`, async (browser) => {
        const page = await open(browser, `${name}-.svg`);
        const plain = still(`${name}-.svg`);
        for (const form of FORMS) {
            const wanted = still(`${name}-${form}.svg`);
            if (form.includes('f')) {
                await frame(page, FOCUS[name]).dispatchEvent('click');
                await page.click('#focus');
                assert.equal(await page.locator('#focus').textContent(), 'All routines');
            }
            if (form.includes('i'))
                await page.click('#inverted');
            if (form.includes('r'))
                await page.click('#folded');
            await same(page, wanted, form);
            await picture(page, `flame-${name}-${form}`);
            if (form.includes('r'))
                await page.click('#folded');
            if (form.includes('i'))
                await page.click('#inverted');
            if (form.includes('f'))
                await page.click('#focus');
            await same(page, plain, `back from ${form}`);
        }
        await close(page);
    });
}

test('without scripts the picture has no buttons', async (browser) => {
    const context = await browser.newContext({javaScriptEnabled: false});
    const page = await context.newPage();
    await page.goto(pathToFileURL(join(folder, 'walk-.svg')).href);
    assert.equal(await page.locator('.button').count(), 5);
    assert.equal(await page.locator('.button:visible').count(), 0);
    assert.deepEqual(await framesOf(page), still('walk-.svg').frames);
    await context.close();
});

test('an option can be switched off', async (browser) => {
    const page = await open(browser, 'walk-ir.svg');
    await page.click('#inverted');
    await same(page, still('walk-r.svg'));
    await page.click('#folded');
    await same(page, still('walk-.svg'));
    await close(page);
});

test('a click enlarges a frame, and shows smaller frames', async (browser) => {
    const page = await open(browser, 'walk-.svg');
    const all = await framesOf(page);
    assert.equal(await page.locator('#reset').isVisible(), false);
    const names = new Set(await page.$$eval('.f', (frames) => frames.map((one) => one.dataset.name)));
    await frame(page, 'twice').dispatchEvent('click');
    assert.equal(await frame(page, 'twice').locator('rect').getAttribute('width'), '1200.00');
    assert.equal(await frame(page, 'main').getAttribute('class'), 'f callers');
    assert.equal(await frame(page, 'main').locator('rect').getAttribute('width'), '1200.00');
    assert.equal(await page.locator('.f[data-name="even"]').count(), 0);
    assert.ok(names.has('even'));
    const widths = await page.$$eval('.f:not(.callers)', (frames) => frames.map((one) => Number(one.dataset.w)));
    const smallest = Math.min(...all.map((line) => Number(line.trim().split(/ +/)[2])));
    assert.ok(Math.min(...widths) < smallest, 'no smaller frame');
    await picture(page, 'flame-zoomed');
    await page.click('#reset');
    assert.deepEqual(await framesOf(page), all);
    await frame(page, 'twice').dispatchEvent('click');
    await page.keyboard.press('Escape');
    assert.deepEqual(await framesOf(page), all);
    await close(page);
});

test('the search marks frames, and shows their share', async (browser) => {
    const page = await open(browser, 'all-.svg');
    let answer = '^twice$';
    page.on('dialog', (dialog) => dialog.accept(answer));
    await page.keyboard.press('Control+f');
    const shares = await page.$$eval('.f.found', (frames) => frames.map((one) => one.dataset.name));
    assert.ok(shares.length > 5 && shares.every((name) => name === 'twice'));
    // The widths of frames that are in no other found frame.
    const [sum, whole] = await page.evaluate(() => {
        let end = -1, total = 0;
        const found = [...document.querySelectorAll('.f.found')].map(({dataset: {x, w}}) => [Number(x), Number(w)]).sort((l, r) => l[0] - r[0] || r[1] - l[1]);
        for (const [x, w] of found) {
            if (x >= end) {
                total += w;
                end = x + w;
            }
        }
        return [total, Number(document.querySelector('.f').dataset.w)];
    });
    assert.equal(await status(page), `found: ${(100 * sum / whole).toFixed(2)}%`);
    await page.click('#folded');
    assert.equal(await page.locator('.f.found').count(), 1);
    assert.equal(await status(page), `found: ${(100 * sum / whole).toFixed(2)}%`);
    await frame(page, 'main').hover();
    assert.match(await status(page), /^main: \d+ basic blocks, [\d.]+%; itself \d+$/);
    answer = '(';
    await page.click('#search');
    assert.match(await status(page), /regular expression/i);
    answer = '';
    await page.click('#search');
    assert.equal(await page.locator('.f.found').count(), 0);
    await close(page);
});

test('a comparison describes its colours', async (browser) => {
    const page = await open(browser, 'base-.svg');
    assert.match(await status(page), /red: costs more than in walk.report, blue: less/);
    assert.ok((await framesOf(page)).some((line) => /; base 0 /.test(line)) || (await framesOf(page)).some((line) => /, x[\d.]+ /.test(line)));
    await close(page);
});

test('a large tree has its drawn frames alone', async (browser) => {
    const page = await open(browser, 'large-i.svg');
    const wanted = still('large-i.svg');
    const widths = (frames) => frames.map((line) => line.replace(/^( *\d+) +\d+ +(\d+ .*?%).*/, '$1 $2')).sort();
    assert.deepEqual(widths(await framesOf(page)), widths(wanted.frames));
    assert.equal(await page.locator('#inverted').isVisible(), false);
    await frame(page, 'parse').dispatchEvent('click');
    assert.equal(await frame(page, 'parse').locator('rect').getAttribute('width'), '1200.00');
    assert.equal(await page.locator('#focus').isVisible(), false);
    await close(page);
});

await runTests();
