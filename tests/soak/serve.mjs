// Watches the page of a server under load, then ends the server, and checks that the page stays.
// SPDX-License-Identifier: GPL-2.0-or-later
//
// Usage: see tests/web/browser.mjs; the last arguments are the server's process and the seconds of load.
import assert from 'node:assert/strict';
import {execFileSync, spawn} from 'node:child_process';
import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {close, folder, open, picture, runTests, test} from '../web/browser.mjs';

const [, , , , , pid, seconds] = process.argv;
const STEP_MS = 250, FAR_MS = 60000;
const wait = (ms) => new Promise((done) => setTimeout(done, ms));
const redis = (...words) => execFileSync('redis-cli', ['-s', join(folder, 'socket'), ...words], {encoding: 'utf8'});
const requests = () => Number(/total_commands_processed:(\d+)/.exec(redis('info', 'stats'))[1]);

async function serve() {
    const child = spawn('aprof', ['serve', pid, '--database=none'], {cwd: folder, stdio: ['ignore', 'pipe', 'inherit']});
    process.on('exit', () => child.kill('SIGKILL'));
    let words = '';
    for await (const text of child.stdout) {
        words += text;
        if (words.includes('\n'))
            break;
    }
    return {child, address: words.trim()};
}

// The rows of the shown frame; none while an update replaces the frame.
async function rows(page) {
    const element = await page.locator('iframe:not(.next)').elementHandle().catch(() => null);
    const frame = await element?.contentFrame();
    return frame?.$$eval('.row .name b', (cells) => cells.map((cell) => cell.textContent)).catch(() => []) ?? [];
}

// Until the page has a row of redis-server's function.
async function untilRow(page, what) {
    for (let waited = 0; !(await rows(page)).includes('processCommand'); waited += STEP_MS) {
        assert.ok(waited < FAR_MS, what);
        await wait(STEP_MS);
    }
}

async function costOf(address) {
    const {reports: [report]} = await (await fetch(`${address}state`)).json();
    const text = await (await fetch(`${address}page?a=${encodeURIComponent(report.name)}`)).text();
    return {bytes: text.length, cost: Number(/"totals": \{"cost": (\d+)/.exec(text)?.[1])};
}

test('a server under load', async (browser) => {
    const {child, address} = await serve();
    const page = await open(browser, address);
    let updates = 0;
    page.on('request', (request) => {
        updates += request.url().includes('/page?');
    });
    assert.match(await page.textContent('#status'), /^Process \d+ runs\.$/);
    await untilRow(page, 'no row of processCommand');
    const first = await costOf(address), before = requests();
    await wait(1000 * Number(seconds));
    const last = await costOf(address), asked = requests() - before;
    await picture(page, 'serve-redis');
    assert.ok(asked > 0 && last.cost > first.cost, `cost ${first.cost}, then ${last.cost}; ${asked} requests`);
    assert.ok(updates >= 3, `only ${updates} updates`);
    await untilRow(page, 'no row of processCommand under load');
    const resident = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))[1]);

    writeFileSync(join(folder, 'stop'), '');
    try {
        redis('shutdown', 'nosave');
    } catch { /* the connection ends with the server */ }
    for (let waited = 0; !(await page.textContent('#status')).endsWith('has ended; this is its last report.'); waited += STEP_MS) {
        assert.ok(waited < FAR_MS, 'the end is not shown');
        await wait(STEP_MS);
    }
    await wait(4000);
    await untilRow(page, 'no row after the end');
    assert.ok((await costOf(address)).cost >= last.cost, 'the last report is lost');
    assert.equal(child.exitCode, null);
    console.log(`    ${asked} requests; ${updates} updates of the page in ${seconds} s; ${Math.round(last.bytes / 1000)} kB of page; ` +
        `cost ${first.cost} -> ${last.cost}; aprof serve: ${resident} kB resident`);
    await close(page, address);
    child.kill('SIGTERM');
});

await runTests();
process.exit(process.exitCode);
