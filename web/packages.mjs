// Loads the packages that the page needs, on machines that have node without npm.
// SPDX-License-Identifier: GPL-2.0-or-later
//
// Usage: node packages.mjs PACKAGE_LOCK.JSON FOLDER
//
// Each package of package-lock.json, except packages for tests, is loaded from the registry
// (npm_config_registry, or npm's own), compared with its checksum, and unpacked in
// FOLDER/node_modules.
import {spawnSync} from 'node:child_process';
import {createHash} from 'node:crypto';
import {mkdirSync, readFileSync} from 'node:fs';
import {basename, join} from 'node:path';

const TIMEOUT_MS = 30_000;
const [lock, folder] = process.argv.slice(2);
const registry = (process.env.npm_config_registry ?? 'https://registry.npmjs.org').replace(/\/$/, '');

async function archive(name, {version, integrity})
{
    const address = `${registry}/${name}/-/${basename(name)}-${version}.tgz`;
    const answer = await fetch(address, {signal: AbortSignal.timeout(TIMEOUT_MS)});
    if (!answer.ok)
        throw new Error(`${address}: ${answer.status} ${answer.statusText}`);
    const bytes = Buffer.from(await answer.arrayBuffer());
    const [algorithm, expected] = integrity.split(/-(.*)/s);
    if (createHash(algorithm).update(bytes).digest('base64') !== expected)
        throw new Error(`${address}: not what package-lock.json expects`);
    return bytes;
}

function unpack(bytes, target)
{
    mkdirSync(target, {recursive: true});
    const tar = spawnSync('tar', ['-xzf', '-', '--strip-components=1', '-C', target], {input: bytes});
    if (tar.status !== 0)
        throw new Error(`${target}: ${tar.stderr ?? tar.error}`);
}

const {packages} = JSON.parse(readFileSync(lock, 'utf8'));
for (const [place, what] of Object.entries(packages))
    if (place !== '' && !what.dev)
        unpack(await archive(place.replace(/^.*node_modules\//, ''), what), join(folder, place));
