// Prints the compute units of each instruction on Agave's runtime. Run by `./build.sh costs`.

import * as act from './lib/act.mjs';
import { CALL_NAMES } from './lib/call.mjs';
import { most } from './lib/coverage.mjs';
import { Batch, GOLDEN, admit, allow } from './lib/golden.mjs';
import { enroll } from './lib/roster.mjs';
import { ACCEPT, REJECT, Scene, all } from './lib/scene.mjs';
import { everything } from './lib/story.mjs';
import { SOL } from './lib/world.mjs';

const UNITS = 1_400_000;

await everything(await Scene.begin('costs', { listed: 1, ...GOLDEN }));

// The largest court: 512 judges, 28 seats, votes on both sides, and evidence against a seat at the
// end.
const scene = await Scene.cast('costs of the largest court', 0, GOLDEN);
await enroll(scene, 512, (i) => SOL + BigInt((i * 7_919_000_003) % 9_000_000_000));
const task = await scene.contested();
await scene.draw(task, UNITS);
const names = scene.panel(task);
await scene.round(task, { ...all(names.slice(0, 20), ACCEPT), ...all(names.slice(20), REJECT) });
await scene.ok(act.appeal(task, 'alice'));
await scene.ok(act.slash(task, 0, act.evidence(task, 1, names[0])));
await scene.draw(task, UNITS);
await scene.round(task, all(scene.panel(task), REJECT)); // 56 seats, of which 19 lose by the reversal
await scene.fund('pat', 1_000n * SOL);
await scene.ok(admit(scene.authority, 'pat'));
allow(scene, 256, SOL);
const batch = await Batch.of(scene, [ACCEPT, REJECT]);
await scene.ok(batch.commit({ deposit: 100n * SOL }));
for (const i of [0, 1]) {
  await batch.judged(i, (panel) => ({ ...all(panel.slice(0, 20), ACCEPT), ...all(panel.slice(20), REJECT) }));
}
for (const leaf of batch.tasks) await scene.ok(act.finish(leaf, 'alice'));
for (const i of [0, 1]) await scene.ok(batch.open(i));
scene.pass(14_400);
for (const i of [0, 1]) await scene.ok(batch.apply(i));
await scene.fund('j511', SOL);
await scene.ok(act.topUp('j511', 1n));

console.log('| instruction | compute units |\n|---|---|');
for (const name of CALL_NAMES) console.log(`| \`${name}\` | ${most(name)} |`);

// The first pull makes the Channel.
await scene.ok(act.pull('alice', 'bob', 1n, scene.time + 60n));
const { units } = await scene.ok(act.pull('alice', 'bob', 2n, scene.time + 60n));
console.log(`\nThe first \`pull_payment\` between two agents makes their Channel; a later one costs ${units}.`);
