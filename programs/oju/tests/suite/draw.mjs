// Who sits, when, and by which block.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as act from '../lib/act.mjs';
import { enroll } from '../lib/roster.mjs';
import { ACCEPT, PAY, RESERVED, Scene, all } from '../lib/scene.mjs';
import { SOL } from '../lib/world.mjs';

describe('draw', () => {
  test('seven of seven sit', async () => {
    const scene = await Scene.cast('draw 7', 7);
    const task = await scene.seated();
    const found = scene.caseOf(task);
    assert.deepEqual([...scene.panel(task)].sort(), ['j0', 'j1', 'j2', 'j3', 'j4', 'j5', 'j6']);
    assert.deepEqual([found.commit_ends, found.reveal_ends], [scene.time + 420n, scene.time + 600n]);
    assert.deepEqual([(await scene.entry('j0')).live, (await scene.entry('j0')).locked], [1, RESERVED]);
    await scene.no('WrongStatus', act.draw(task));
  });

  test('28 of 40 sit, each once', async () => {
    const scene = await Scene.cast('draw 40', 40);
    const task = await scene.seated();
    const names = scene.panel(task);
    assert.deepEqual([names.length, new Set(names).size], [28, 28]);
    assert.equal(scene.roster().entries.filter(({ live }) => live === 1).length, 28);
  });

  test('weights are stakes, capped', async () => {
    const scene = await Scene.begin('draw weights');
    for (const name of ['alice', 'bob']) await scene.agent(name);
    await scene.judges(9, (i) => BigInt(i + 1) * 2n * SOL);
    await scene.season();
    const task = await scene.seated();
    const weights = scene.caseOf(task).panel.map(({ index, weight }) => [index, weight]);
    for (const [index, weight] of weights) assert.equal(weight, index < 4 ? BigInt(index + 1) * 2n * SOL : 10n * SOL);
  });

  test('seven are needed', async () => {
    const scene = await Scene.cast('too few', 7);
    const other = await scene.seated();
    const task = await scene.contested();
    await scene.ok(act.slash(other, scene.panel(other).indexOf('j6'), act.evidence(other, 1, 'j6')));
    scene.reach(task);
    await scene.no('TooFewJudges', act.draw(task));
    await scene.judge('j7'); // too late for this seed slot
    await scene.no('TooFewJudges', act.draw(task));
    scene.advance(600);
    await scene.no('SeasonRuns', act.season()); // j6 has its weight until the season is over
  });

  test('a judge that leaves sits until its season is over', async () => {
    const scene = await Scene.cast('leaves', 7);
    const task = await scene.contested();
    await scene.ok(act.beginExit('j6'));
    await scene.draw(task);
    assert.ok(scene.panel(task).includes('j6'));
    scene.advance(600);
    await scene.no('SeasonRuns', act.season());
  });

  test('who is leaving, or has too little stake, does not sit', async () => {
    const scene = await Scene.cast('not eligible', 9);
    await scene.ok(act.beginExit('j4'));
    await scene.ok(act.topUp('j5', SOL / 2n));
    await scene.enact({ min_stake: 2n * SOL });
    await scene.enact({ min_stake: 2n * SOL + 2n });
    for (const i of [0, 1, 2, 3, 6, 7]) await scene.ok(act.topUp(`j${i}`, 1n));
    const task = await scene.seated();
    assert.deepEqual([...scene.panel(task)].sort(), ['j0', 'j1', 'j2', 'j3', 'j5', 'j6', 'j7']);
  });

  test('a party sits neither itself nor through an operator', async () => {
    const scene = await Scene.begin('conflict');
    await scene.agent('alice', { operator: 'olga' });
    await scene.agent('bob', { operator: 'oscar' });
    await scene.judges(7);
    for (const name of ['alice', 'bob', 'olga', 'oscar']) await scene.judge(name);
    const operators = [['k0', 'alice'], ['k1', 'bob'], ['k2', 'olga'], ['k3', 'oscar']];
    for (const [name, operator] of operators) await scene.judge(name, { operator });
    await scene.season();
    const task = await scene.contested();
    // A new declaration does not count: the task has the old one.
    await scene.ok(act.updateAgent('alice', {}));
    await scene.ok(act.updateAgent('bob', { operator: 'j0' }));
    await scene.draw(task);
    assert.deepEqual([...scene.panel(task)].sort(), ['j0', 'j1', 'j2', 'j3', 'j4', 'j5', 'j6']);
  });

  test('sees the Roster of the seed slot', async () => {
    const scene = await Scene.cast('draw what was', 9);
    await scene.ok(act.beginExit('j8'));
    scene.advance(1_100);
    const task = await scene.contested();
    scene.reach(task);
    await scene.fund('j0', 9n * SOL);
    await scene.ok(act.topUp('j0', 5n * SOL));
    await scene.ok(act.beginExit('j1'));
    await scene.judge('late', { stake: 9n * SOL });
    await scene.ok(act.draw(task));
    const { panel } = scene.caseOf(task);
    assert.deepEqual([...scene.panel(task)].sort(), ['j0', 'j1', 'j2', 'j3', 'j4', 'j5', 'j6', 'j7', 'j8']);
    assert.ok(panel.every(({ weight }) => weight === SOL));
  });

  test('moves the seed slot when the Roster has forgotten what was, though the chain has the block', async () => {
    const scene = await Scene.cast('a roster forgets', 7);
    for (const [passed, drawn] of [[512n, true], [513n, false]]) {
      const task = await scene.contested();
      const { seed_slot } = scene.caseOf(task);
      scene.at(scene.time, seed_slot + passed);
      scene.blocks([seed_slot + passed - 1n, seed_slot, seed_slot - 1n]);
      await scene.ok(act.draw(task));
      assert.equal(scene.caseOf(task).seats > 0, drawn);
    }
  });

  test('waits for a block of the seed slot or later, and for the first such', async () => {
    const scene = await Scene.cast('seed slot', 7);
    const task = await scene.contested();
    const { seed_slot } = scene.caseOf(task);
    scene.at(scene.time, seed_slot);
    scene.blocks([seed_slot - 1n, seed_slot - 2n]);
    await scene.no('TooEarly', act.draw(task));
    scene.at(scene.time, seed_slot + 5n);
    scene.blocks([seed_slot + 4n, seed_slot + 3n, seed_slot - 1n]);
    await scene.ok(act.draw(task));
    assert.equal(scene.caseOf(task).drawn_slot, seed_slot + 3n);
  });

  test('is over at draw_by, to the second, whatever the block', async () => {
    const scene = await Scene.cast('draw by', 7);
    const task = await scene.contested();
    scene.reach(task);
    const { draw_by } = scene.caseOf(task);
    scene.at(draw_by - 1n);
    assert.ok((await scene.trial(act.draw(task))).ok);
    scene.at(draw_by);
    await scene.no('TooLate', act.draw(task));
    scene.blocks([]);
    await scene.no('TooLate', act.draw(task));
    scene.advance(600);
    await scene.no('TooLate', act.draw(task));
    await scene.ok(act.expireCase(task));
    await scene.no('WrongStatus', act.draw(task));
  });

  test('an empty list of blocks is too early', async () => {
    const scene = await Scene.cast('no blocks', 7);
    const task = await scene.contested();
    scene.blocks([]);
    await scene.no('TooEarly', act.draw(task));
  });

  test('moves the seed slot when the chain has forgotten the block', async () => {
    const scene = await Scene.cast('forgotten', 7);
    const task = await scene.contested();
    const { seed_slot, draw_by } = scene.caseOf(task);
    scene.advance(600);
    await scene.ok(act.draw(task));
    const moved = scene.caseOf(task);
    assert.deepEqual([moved.status, moved.seed_slot, moved.draw_by], [1, scene.slot + 2n, draw_by]);
    assert.ok(moved.seed_slot > seed_slot);
    await scene.no('TooEarly', act.draw(task));
    await scene.draw(task);
  });

  test('512 blocks are searched', async () => {
    const scene = await Scene.cast('512 blocks', 7);
    const task = await scene.contested();
    const { seed_slot } = scene.caseOf(task);
    scene.at(scene.time, seed_slot + 400n);
    scene.blocks(Array.from({ length: 512 }, (_, i) => seed_slot + 399n - BigInt(i)));
    await scene.ok(act.draw(task));
    assert.equal(scene.caseOf(task).drawn_slot, seed_slot);
  });

  test('panels of 64 and 512 judges are those of the model', async () => {
    for (const count of [64, 512]) {
      const scene = await Scene.cast(`draw ${count}`, 0);
      await enroll(scene, count, (i) => SOL + BigInt((i * i * 7_919) % 12_000_000_000));
      for (let round = 0; round < 4; round++) {
        const task = await scene.contested();
        await scene.draw(task, 1_400_000);
        assert.equal(scene.caseOf(task).seats, 28);
      }
    }
  });

  test('a change of the court\'s parameters changes no open case', async () => {
    const scene = await Scene.cast('config in a case', 7);
    const task = await scene.contested();
    await scene.ok(scene.announce({
      max_rounds: 1, panel_seats: 7, min_seats: 7, commit_seconds: 60, reveal_seconds: 60, absence: 40, fee_min: SOL / 100n,
      evidence_seconds: 60, draw_seconds: 60, draw_delay_slots: 75, max_judges: 7,
    }));
    await scene.draw(task);
    const found = scene.caseOf(task);
    assert.deepEqual([found.seats, found.commit_ends, found.reveal_ends], [7, scene.time + 420n, scene.time + 600n]);
    await scene.round(task, all(scene.panel(task).slice(0, 5), ACCEPT));
    assert.equal(scene.caseOf(task).panel[6].slashed, 2n * PAY);
  });
});
