// Starts servers and programs, and drives the servers' pages in Chromium.
// SPDX-License-Identifier: GPL-2.0-or-later
//
// Usage: see browser.mjs; the last argument is the launcher of the Valgrind tool.
import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {copyFileSync, existsSync, readFileSync, readlinkSync} from 'node:fs';
import {connect} from 'node:net';
import {join} from 'node:path';
import {close, folder, open, picture, runTests, test} from './browser.mjs';

const launcher = process.argv[5];
const FAR_MS = 60000, STEP_MS = 100;

// ---------------------------------------------------------------- Programs and servers

const children = [];
process.on('exit', () => children.forEach((child) => child.kill('SIGKILL')));

function start(command, args, environment = {}) {
    const child = spawn(command, args, {cwd: folder, env: {...process.env, ...environment}, stdio: ['ignore', 'pipe', 'pipe']});
    children.push(child);
    child.words = '';
    child.stderr.on('data', (text) => {
        child.words += text;
    });
    return child;
}

// An `aprof serve`, with its address and port.
async function serve(...args) {
    const child = start('aprof', ['serve', ...args]);
    child.address = await new Promise((done, failed) => {
        let words = '';
        child.stdout.on('data', (text) => {
            words += text;
            if (words.includes('\n'))
                done(words.trim());
        });
        child.on('exit', () => failed(new Error(`aprof serve ended: ${child.words}`)));
    });
    child.port = Number(new URL(child.address).port);
    child.path = new URL(child.address).pathname;
    child.removeAllListeners('exit');
    return child;
}

const ended = (child) => new Promise((done) => child.exitCode !== null || child.signalCode ? done(child.exitCode) : child.on('exit', done));

async function stop(child, signal = 'SIGTERM') {
    child.kill(signal);
    return ended(child);
}

// Tries until it is true; an error is no answer.
async function until(what, isTrue) {
    for (let waited = 0; waited < FAR_MS; waited += STEP_MS) {
        if (await isTrue().catch(() => false))
            return;
        await new Promise((done) => setTimeout(done, STEP_MS));
    }
    assert.fail(`never: ${what}`);
}

// ---------------------------------------------------------------- Requests, byte by byte

// The answer to a request of exactly these lines.
function ask(port, ...lines) {
    return new Promise((done, failed) => {
        let words = '';
        const socket = connect(port, '127.0.0.1', () => socket.end(`${lines.join('\r\n')}\r\n\r\n`));
        socket.on('data', (text) => {
            words += text;
        });
        socket.on('error', failed);
        socket.on('close', () => done({status: Number(words.split(' ')[1]), words}));
    });
}

const get = (server, path, host = `127.0.0.1:${server.port}`) => ask(server.port, `GET ${path} HTTP/1.1`, `Host: ${host}`, 'Connection: close');

test('wrong hosts, tokens, paths and methods are refused', async () => {
    const server = await serve('folder', '--database=folder.history');
    const {path, port} = server, token = path.slice(1, -1);
    const page = await get(server, path);
    assert.equal(page.status, 200);
    for (const header of ['Cache-Control: no-store', 'X-Content-Type-Options: nosniff', 'X-Frame-Options: SAMEORIGIN', 'Referrer-Policy: no-referrer', 'frame-ancestors \'self\''])
        assert.ok(page.words.includes(header), `no ${header}`);
    assert.ok(!/access-control/i.test(page.words));
    // Another name that resolves to this machine, another port, and no name.
    for (const host of ['evil.example', `evil.example:${port}`, '127.0.0.1', `127.0.0.1:${port}.evil.example`, `[::1]:${port}`])
        assert.equal((await get(server, path, host)).status, 403, host);
    assert.notEqual((await ask(port, `GET ${path} HTTP/1.1`, 'Connection: close')).status, 200);
    assert.equal((await get(server, path, `localhost:${port}`)).status, 200);
    const flipped = (token[0] === '0' ? '1' : '0') + token.slice(1);
    for (const wrong of ['/', '//', `/${token}`, `/${token.slice(1)}/`, `/${token}0/`, `/${flipped}/`, `/${flipped}/state`, `/${token.toUpperCase()}x/`, '/state'])
        assert.equal((await get(server, wrong)).status, 404, wrong);
    for (const beyond of ['../secret.aprof', '..%2fsecret.aprof', 'page/../../secret.aprof', '%2e%2e/secret.aprof', 'folder/old.aprof', 'old.aprof', '/etc/passwd',
                          'page?a=../secret.aprof', 'page?a=..%2fsecret.aprof', 'page?a=%2fetc%2fpasswd', 'page?a=other.txt', 'page?a=old.aprof&b=../secret.aprof', 'page?a=', 'page']) {
        const answer = await get(server, path + beyond);
        assert.equal(answer.status, 404, beyond);
        assert.ok(!answer.words.includes('root:') && !answer.words.includes('</html>'), beyond);
    }
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'TRACE'])
        assert.equal((await ask(port, `${method} ${path} HTTP/1.1`, `Host: 127.0.0.1:${port}`, 'Connection: close')).status, 405, method);
    assert.equal((await get(server, `${path}page?a=${'x'.repeat(100000)}`)).status, 414);
    assert.equal((await get(server, `${path}page?a=broken.aprof`)).status, 500);
    assert.equal((await get(server, `${path}page?a=old.aprof`)).status, 200);
    assert.equal(await stop(server), 0);
});

test('idle connections are limited, and do not keep others out for ever', async () => {
    const server = await serve('one.aprof');
    const sockets = await Promise.all([...Array(40)].map(() => new Promise((done) => {
        const socket = connect(server.port, '127.0.0.1', () => done(socket));
        socket.on('error', () => {});
    })));
    await new Promise((done) => setTimeout(done, 300));
    sockets.slice(0, 20).forEach((socket) => socket.destroy());
    await until('an answer next to idle connections', async () => (await get(server, server.path)).status === 200);
    sockets.forEach((socket) => socket.destroy());
    await stop(server, 'SIGINT');
});

// ---------------------------------------------------------------- In the browser

// Until the body is true for the shown frame; an update may replace the frame at any time.
const inFrame = (page, what, body) => until(what, async () => {
    const frame = await page.locator('iframe:not(.next)').elementHandle({timeout: FAR_MS}).then((element) => element.contentFrame());
    return frame && body(frame);
});
const hasRow = (name) => async (frame) => (await frame.$$eval('.row .name b', (cells) => cells.map((cell) => cell.textContent))).includes(name);

test('a folder: the newest report, two compared by a click, and the history', async (browser) => {
    const server = await serve('folder', '--database=folder.history');
    const page = await open(browser, server.address);
    assert.match(await page.textContent('#status'), /folder: 3 reports/);
    assert.deepEqual(await page.$$eval('#reports button.link', (buttons) => buttons.map((button) => button.textContent)), ['new.aprof', 'old.aprof', 'broken.aprof']);
    await inFrame(page, 'the newest report', hasRow('heap_sort'));
    await picture(page, 'serve-folder');
    await page.locator('li', {hasText: 'old.aprof'}).locator('.compare').click();
    await inFrame(page, 'two reports', async (frame) => frame.url().includes('b=new.aprof') && await frame.locator('.head [data-column=change]').count() === 1 &&
        await frame.locator('#a option').first().textContent() === 'old.aprof');
    await picture(page, 'serve-compare');
    copyFileSync(join(folder, 'one.aprof'), join(folder, 'folder', 'newest.aprof'));
    await until('the new report is listed', async () => await page.locator('#reports li').count() === 4);
    if (existsSync(join(folder, 'folder.history'))) {
        await page.click('#history');
        await inFrame(page, 'the history', async (frame) => frame.url().endsWith('/history') && (await frame.textContent('#findings')).startsWith('2 commits'));
        await page.goBack();
    }
    await inFrame(page, 'the comparison again', async (frame) => frame.url().includes('b=new.aprof'));
    await close(page, server.address);
    await stop(server);
});

// The cost in the page of the process's report so far; NaN if there is none.
async function costOf(server) {
    const {reports: [report]} = await (await fetch(`${server.address}state`)).json();
    const text = await (await fetch(`${server.address}page?a=${encodeURIComponent(report.name)}`)).text();
    return text.includes('"sort"') ? Number(/"totals": \{"cost": (\d+)/.exec(text)[1]) : NaN;
}

test('a program that runs: the page is updated, and survives the end of the program', async (browser) => {
    const program = start(launcher, ['-q', '--tool=aprof', '--dump-every=1', '--aprof-out-file=busy.%p.aprof', './busy']);
    await until('the program starts', async () => existsSync(join(folder, `busy.${program.pid}.aprof`)));
    const server = await serve(String(program.pid));
    const page = await open(browser, server.address);
    assert.match(await page.textContent('#status'), /^Process \d+ runs\.$/);
    await inFrame(page, 'the report', hasRow('sort'));
    await inFrame(page, 'a search', (frame) => frame.evaluate(() => {
        location.hash = '#q=sort';
        window.isOld = true;
        return true;
    }));
    const first = await costOf(server);
    await inFrame(page, 'an update that keeps the search', (frame) => frame.evaluate(() => !window.isOld && document.getElementById('search').value === 'sort'));
    await until('the cost rises', async () => await costOf(server) > first);
    await picture(page, 'serve-process');
    if (process.env.SCREENSHOTS) {
        for (const width of [820, 390]) {
            await page.setViewportSize({width, height: 900});
            await picture(page, `serve-process-${width}`);
        }
    }
    await stop(program);
    await until('the end is told', async () => (await page.textContent('#status')).endsWith('has ended; this is its last report.'));
    await inFrame(page, 'the last report', hasRow('sort'));
    assert.equal((await get(server, server.path)).status, 200);
    await close(page, server.address);
    assert.equal(server.words, '');
    await stop(server);
});

// Requested reports of a running program, without a browser.
async function watch(program) {
    const server = await serve(String(program.pid), '--every=0.3');
    await until('a report', async () => await costOf(server) > 0);
    const first = await costOf(server);
    await until('the cost rises', async () => await costOf(server) > first);
    await stop(program);
    const state = await (await fetch(`${server.address}state`)).json();
    assert.equal(state.runs, false);
    assert.ok(await costOf(server) > first);
    await stop(server);
    return server.words;
}

test('a program under Valgrind, by vgdb: the page has the sum of all reports', async () => {
    const program = start(launcher, ['-q', '--tool=aprof', '--aprof-out-file=parts.aprof', './busy']);
    await until('the program starts', async () => /aprof-.*-linux$/.test(readlinkSync(`/proc/${program.pid}/exe`)));
    assert.match(await watch(program), /vgdb requests reports, and their sum is shown/);
    assert.ok(existsSync(join(folder, 'parts.aprof.2')), 'no second part');
});

test('a compiled program, by its signal', async () => {
    const program = start('./busy-compiled', [], {APROF: 'dump-signal=USR1,out=compiled.aprof'});
    await until('the program starts', async () => readFileSync(`/proc/${program.pid}/comm`, 'utf8').startsWith('busy'));
    assert.equal(await watch(program), '');
});

test('a program whose signal is not handled is not killed by requests', async () => {
    const program = start('sleep', ['100'], {APROF: 'dump-signal=USR1'});
    await until('the program starts', async () => readFileSync(`/proc/${program.pid}/comm`, 'utf8').startsWith('sleep'));
    const server = await serve(String(program.pid), '--every=0.1');
    for (let i = 0; i < 5; i++) {
        assert.equal((await get(server, `${server.path}state`)).status, 200);
        await new Promise((done) => setTimeout(done, 200));
    }
    assert.equal(program.signalCode, null);
    await stop(program, 'SIGKILL');
    await stop(server);
});

await runTests();
process.exit(process.exitCode);
