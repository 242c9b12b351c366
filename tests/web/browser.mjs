// Functions of all tests in a browser: Chromium, pages, pictures, and the list of tests.
// SPDX-License-Identifier: GPL-2.0-or-later
//
// Usage: node TEST.mjs NODE_MODULES CHROMIUM FOLDER; SCREENSHOTS=FOLDER keeps pictures,
// ONLY=WORDS runs the tests that have them in their names.
import assert from 'node:assert/strict';
import {createRequire} from 'node:module';
import {join} from 'node:path';
import {pathToFileURL} from 'node:url';

const [modules, chromium, here] = process.argv.slice(2);
const playwright = createRequire(import.meta.url)(join(modules, 'playwright-core'));
const FLAGS = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
               '--disable-background-networking', '--disable-component-update', '--disable-sync'];

export const folder = here;

const tests = [];
export const test = (name, body) => tests.push({name, body});

// Opens a page of the folder, and waits for the end of its script.
export async function open(browser, file, {hash = '', dark = false, width = 1440} = {}) {
    const page = await browser.newPage({viewport: {width, height: 900}, colorScheme: dark ? 'dark' : 'light'});
    page.requests = [];
    page.errors = [];
    page.on('request', (request) => page.requests.push(request.url()));
    page.on('pageerror', (error) => page.errors.push(error.message));
    page.on('console', (message) => message.type() === 'error' && page.errors.push(message.text()));
    await page.goto((file.startsWith('http:') ? file : pathToFileURL(join(folder, file)).href) + hash);
    await page.waitForFunction(() => performance.getEntriesByName('aprof-ready').length > 0);
    return page;
}

// A page may use the network only below its own address.
export async function close(page, address = 'file:') {
    assert.deepEqual(page.errors, []);
    assert.deepEqual(page.requests.filter((url) => !url.startsWith('data:') && !url.startsWith(address) && !url.startsWith('file:')), []);
    await page.close();
}

export async function picture(page, name) {
    if (process.env.SCREENSHOTS)
        await page.screenshot({path: join(process.env.SCREENSHOTS, `${name}.png`)});
}

// Returns whether a pixel of the canvas has a colour of the page, or a similar colour.
export const hasColour = (page, selector, colour) => page.evaluate(([where, name]) => {
    const canvas = document.querySelector(where);
    const hex = getComputedStyle(document.documentElement).getPropertyValue(name).trim();
    const wanted = [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
    const pixels = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
    for (let i = 0; i < pixels.length; i += 4) {
        if (pixels[i + 3] > 200 && wanted.every((part, k) => Math.abs(pixels[i + k] - part) < 12))
            return true;
    }
    return false;
}, [selector, colour]);

// Runs the tests one after the other; the exit status is 1 if one fails.
export async function runTests() {
    const browser = await playwright.chromium.launch({executablePath: chromium, args: FLAGS});
    let failed = 0;
    const wanted = tests.filter(({name}) => name.includes(process.env.ONLY ?? ''));
    for (const {name, body} of wanted) {
        try {
            await body(browser);
            console.log(`ok: ${name}`);
        } catch (error) {
            failed++;
            console.log(`FAILED: ${name}: ${error.stack}`);
        }
    }
    await browser.close();
    console.log(`${wanted.length - failed} passed, ${failed} failed`);
    process.exitCode = failed > 0 ? 1 : 0;
}
