// Drives the site that history.sh made, in Chromium.
// SPDX-License-Identifier: GPL-2.0-or-later
//
// Usage: see browser.mjs.
import assert from 'node:assert/strict';
import {close, hasColour, open, picture, runTests, test} from './browser.mjs';

const SITE = 'site/index.html';

const section = (page, kind) => page.$$eval(`.${kind} tbody tr`, (rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent)));
const fits = async (page) => assert.ok(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth) <= 0, 'the page is wider than the window');

test('the overview has the planted regression', async (browser) => {
    const page = await open(browser, SITE);
    assert.equal(await page.locator('h1').textContent(), 'growth');
    assert.match(await page.locator('#findings').textContent(), /^20 commits: cost 2\.12M to 2\.82M basic blocks \(\+\d+\.\d %\)\. Latest change of the cost: c15, \+\d+\.\d %; the routine that changed most is checksum \(growth n to n\^2, self cost \+300\.0%\)\. 2 routines that never reach 0\.1 % of a run are omitted\.$/);
    const points = await section(page, 'points');
    assert.deepEqual(points.filter(([, name]) => name === 'heap_sort'), [['c08', 'heap_sort', 'self cost +30.0%', '+2.7 %']]);
    assert.deepEqual(points.filter(([, name]) => name === 'set_flag').map(([commit, , words]) => `${commit} ${words}`), ['c18 new', 'c17 gone', 'c03 new']);
    // 2 % in each commit is a change point whenever their sum exceeds 5 %.
    assert.deepEqual(points.filter(([, name]) => name === 'find_cached').map(([commit]) => commit), ['c17', 'c13', 'c10', 'c07', 'c04']);
    assert.deepEqual(points.filter(([, name]) => name === 'bubble_sort'), []);
    assert.equal(points[0][0], 'c18');
    const routines = await section(page, 'routines');
    assert.equal(routines[0][0], 'bubble_sortsort.c');
    assert.equal(await page.locator('.routines .spark').count(), routines.length);
    const commits = await section(page, 'commits');
    assert.deepEqual([commits.length, commits[0][0], commits[19][0]], [20, 'c20', 'c01']);
    assert.deepEqual(commits.filter((row) => row[5] === '–').map((row) => row[0]), ['c05']);
    assert.ok(await hasColour(page, '.plot canvas', '--base'), 'no line');
    assert.ok(await hasColour(page, '.plot canvas', '--over'), 'no change point');
    await fits(page);
    await picture(page, 'history');
    await close(page);
});

test('a routine has its plots and a row for each commit', async (browser) => {
    const page = await open(browser, SITE);
    await page.locator('.routines a', {hasText: 'checksum'}).click();
    assert.equal(await page.locator('h2').textContent(), 'checksum');
    assert.equal(await page.locator('.plot').count(), 2);
    assert.equal(new URL(page.url()).hash, '#r=checksum');
    const rows = await section(page, 'entries');
    assert.equal(rows.length, 20);
    assert.deepEqual(rows.filter((row) => row[7] !== '').map((row) => [row[0], row[6], row[7]]), [['c15', 'n^2', 'growth n to n^2, self cost +300.0%']]);
    const box = await page.locator('.plot .u-over').first().boundingBox();
    await page.mouse.move(box.x + box.width * 15 / 20.8, box.y + box.height * (1 - 831840 / (831840 * 1.04)));
    assert.match(await page.locator('.tip').first().textContent(), /c15.*831,840/);
    await picture(page, 'history-routine');
    await page.goBack();
    assert.equal(await page.locator('h2').first().textContent(), 'Cost of the run');
    await close(page);
});

test('a commit has its table, and its page if the report is kept', async (browser) => {
    const page = await open(browser, SITE, {hash: '#c=c05'});
    assert.equal(await page.locator('h2').textContent(), 'c05');
    assert.equal((await section(page, 'measured'))[0][0], 'bubble_sortsort.c');
    assert.equal(await page.locator('a', {hasText: 'Open the report'}).count(), 0);
    await page.locator('.steps a', {hasText: 'c06'}).click();
    await page.locator('.steps a', {hasText: 'c07'}).click();
    await page.locator('.steps a', {hasText: 'c08'}).click();
    const marked = (await section(page, 'measured')).filter((row) => row[7] !== '');
    assert.deepEqual(marked.map((row) => [row[0], row[3], row[7]]), [['heap_sortsort.c', '+30.0 %', 'self cost +30.0%']]);
    await picture(page, 'history-commit');
    await page.locator('a', {hasText: 'Open the report'}).click();
    await page.waitForFunction(() => performance.getEntriesByName('aprof-ready').length > 0);
    assert.equal(await page.locator('h1').textContent(), './growth');
    assert.equal(await page.locator('.row', {hasText: 'heap_sort'}).count(), 1);
    await close(page);
});

test('search, other thresholds, and addresses that name nothing', async (browser) => {
    const page = await open(browser, SITE, {hash: '#r=nothing&c=nothing'});
    await page.fill('#search', 'SORT.c heap');
    assert.deepEqual((await section(page, 'routines')).map((row) => row[0]), ['heap_sortsort.c']);
    await close(page);
    const coarse = await open(browser, 'coarse/index.html');
    assert.deepEqual((await section(coarse, 'points')).map((row) => `${row[0]} ${row[1]}`), ['c18 set_flag', 'c17 set_flag', 'c15 checksum', 'c03 set_flag']);
    await close(coarse);
});

test('narrow, dark, hostile and single', async (browser) => {
    const page = await open(browser, SITE, {dark: true});
    for (const width of [390, 820]) {
        await page.setViewportSize({width, height: 900});
        for (const [name, hash] of [['', ''], ['-routine', '#r=checksum'], ['-commit', '#c=c08']]) {
            await page.evaluate((address) => {
                location.hash = address;
            }, hash);
            await page.waitForFunction((plots) => document.querySelectorAll('.plot').length === plots, {'': 1, '-routine': 2, '-commit': 0}[name]);
            await fits(page);
            await picture(page, `history${name}-${width}`);
        }
    }
    await close(page);
    const bad = await open(browser, 'bad/index.html');
    assert.equal(await bad.locator('#hole').count(), 0);
    assert.equal((await section(bad, 'commits'))[0][0], '</script><b id="hole">');
    await bad.locator('.commits a').first().click();
    assert.equal(await bad.locator('h2').textContent(), '</script><b id="hole">');
    await close(bad);
    await close(await open(browser, 'one/index.html'));
});

test('20 000 commits with a routine each', async (browser) => {
    const page = await open(browser, 'sparse/index.html');
    assert.match(await page.locator('#findings').textContent(), /^20000 commits/);
    await close(page);
});

await runTests();
