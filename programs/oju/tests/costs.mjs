// Prints the compute units of each instruction on Agave's runtime. Run by `./build.sh costs`.

import * as act from './lib/act.mjs';
import { CALL_NAMES } from './lib/call.mjs';
import { most } from './lib/coverage.mjs';
import { enroll } from './lib/roster.mjs';
import { ACCEPT, REJECT, Scene, all } from './lib/scene.mjs';
import { everything } from './lib/story.mjs';
import { SOL } from './lib/world.mjs';

const UNITS = 1_400_000;

await everything(await Scene.begin('costs', { listed: 1 }));

// The largest court: 512 judges, 28 seats, votes on both sides, and evidence against a seat at the
// end.
const scene = await Scene.cast('costs of the largest court', 0);
await enroll(scene, 512, (i) => SOL + BigInt((i * 7_919_000_003) % 9_000_000_000));
const task = await scene.contested();
await scene.draw(task, UNITS);
const names = scene.panel(task);
await scene.round(task, { ...all(names.slice(0, 20), ACCEPT), ...all(names.slice(20), REJECT) });
await scene.ok(act.slash(task, 0, act.evidence(task, 1, names[0])));
await scene.fund('j511', SOL);
await scene.ok(act.topUp('j511', 1n));

console.log('| instruction | compute units |\n|---|---|');
for (const name of CALL_NAMES) console.log(`| \`${name}\` | ${most(name)} |`);

// The first pull makes the Channel.
await scene.ok(act.pull('alice', 'bob', 1n, scene.time + 60n));
const { units } = await scene.ok(act.pull('alice', 'bob', 2n, scene.time + 60n));
console.log(`\nThe first \`pull_payment\` between two agents makes their Channel; a later one costs ${units}.`);
