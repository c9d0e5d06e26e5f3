// The second level of a case.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as act from '../lib/act.mjs';
import { ABSTAIN, ACCEPT, EARNED, PAY, REJECT, Scene, all } from '../lib/scene.mjs';
import { SOL } from '../lib/world.mjs';

const BOND = 28n * 2n * PAY;

/** A case that a first panel of seven decided, in a court of `count` judges. */
async function announced(name, count, choice, params = {}, terms = {}) {
  const scene = await Scene.cast(name, count, params);
  const task = await scene.seated({ seats: 7, ...terms });
  await scene.round(task, all(scene.panel(task), choice));
  return { scene, task, first: scene.panel(task) };
}

/** The same, appealed by the loser, with the panel of the appeal. */
async function appealed(name, count, choice, params, terms) {
  const of = await announced(name, count, choice, params, terms);
  await of.scene.ok(act.appeal(of.task, choice === ACCEPT ? 'alice' : 'bob'));
  await of.scene.draw(of.task);
  return { ...of, second: of.scene.panel(of.task) };
}

describe('appeal', () => {
  test('the money of a verdict waits, and then anybody makes it final', async () => {
    const { scene, task, first } = await announced('window', 14, ACCEPT);
    assert.deepEqual([scene.caseOf(task).status, scene.taskOf(task).status], [6, 7]);
    assert.equal((await scene.entry(first[0])).rewards, 0n);
    assert.deepEqual([(await scene.entry(first[0])).live, (await scene.entry(first[0])).locked], [1, 20n * PAY]);
    await scene.no('TooEarly', act.finish(task));
    await scene.no('WrongAddress', act.finish(task, 'bob')); // the winner cannot waive it
    await scene.no('WrongStatus', act.settle(task));
    await scene.no('WrongStatus', act.closeCase(task));
    await scene.no('WrongStatus', act.publish(task));
    assert.ok((await scene.trial(act.finish(task, 'alice'))).ok); // the loser can
    scene.pass(3_600);
    await scene.no('TooLate', act.appeal(task, 'alice'));
    const before = await scene.vault('bob');
    await scene.ok(act.finish(task));
    assert.equal(await scene.vault('bob') - before, EARNED + SOL / 10n + SOL / 50n);
    assert.deepEqual([(await scene.entry(first[0])).live, (await scene.entry(first[0])).rewards], [0, PAY]);
    await scene.no('WrongStatus', act.finish(task));
    await scene.ok(act.publish(task));
  });

  test('other judges reverse a verdict, and who voted for it loses 20 pays', async () => {
    const { scene, task, first, second } = await appealed('reversal', 28, REJECT);
    assert.equal(second.length, 21);
    assert.ok(second.every((name) => !first.includes(name)));
    assert.equal(scene.taskOf(task).worker_bond, SOL / 10n + BOND);
    const [vault, golden] = [await scene.vault('bob'), scene.pot().golden];
    await scene.round(task, all(second, ACCEPT));
    const found = scene.caseOf(task);
    assert.deepEqual([found.status, found.verdict, found.level, found.first_verdict, found.round], [4, ACCEPT, 2, REJECT, 3]);
    assert.equal(await scene.vault('bob') - vault, EARNED + SOL / 10n + BOND + SOL / 50n);
    assert.equal((await scene.entry(first[0])).stake, SOL - 20n * PAY);
    assert.equal((await scene.entry(first[0])).rewards, 0n);
    assert.equal((await scene.entry(second[0])).rewards, PAY);
    assert.equal(scene.pot().golden - golden, SOL / 200n + SOL / 5n + 7n * 20n * PAY - 21n * PAY);
    scene.pass(86_400);
    await scene.ok(act.publish(task));
    await scene.ok(act.closeCase(task));
  });

  test('a narrow reversal costs the first panel nothing', async () => {
    const { scene, task, first, second } = await appealed('narrow', 28, ACCEPT);
    const votes = { ...all(second, REJECT), ...all(second.slice(0, 8), ACCEPT) };
    await scene.round(task, votes);
    const found = scene.caseOf(task);
    assert.deepEqual([found.verdict, found.level], [REJECT, 2]);
    assert.deepEqual([(await scene.entry(first[0])).stake, (await scene.entry(first[0])).rewards], [SOL, PAY]);
    assert.equal((await scene.entry(second[0])).rewards, PAY);
  });

  test('an appeal reverses only with half of the weight of the votes, in any round', async () => {
    for (const rejects of [3, 4]) {
      const { scene, task, first, second } = await appealed(`light ${rejects}`, 14, ACCEPT);
      await scene.round(task, { ...all(second, ACCEPT), ...all(second.slice(0, rejects), REJECT) });
      const found = scene.caseOf(task);
      assert.deepEqual([found.status, found.verdict, found.level], [4, rejects === 3 ? ACCEPT : REJECT, rejects === 3 ? 1 : 2]);
      assert.equal((await scene.entry(first[0])).rewards, PAY);
      assert.equal((await scene.entry(second[0])).rewards, PAY);
    }
  });

  test('judges that are too light hear no appeal', async () => {
    for (const accepts of [28, 19]) { // eleven others weigh less than half of 28, and more than half of 19
      const scene = await Scene.cast(`too light for ${accepts}`, 39);
      const task = await scene.seated();
      const panel = scene.panel(task);
      await scene.round(task, { ...all(panel, REJECT), ...all(panel.slice(0, accepts), ACCEPT) });
      assert.equal(scene.caseOf(task).status, accepts === 28 ? 4 : 6);
      if (accepts === 19) await scene.ok(act.appeal(task, 'alice'));
      else await scene.no('WrongStatus', act.appeal(task, 'alice'));
    }
  });

  test('an appeal that fails, or decides nothing, leaves the first verdict and costs its bond', async () => {
    for (const choice of [ACCEPT, ABSTAIN]) {
      const { scene, task, first, second } = await appealed(`lost ${choice}`, 28, ACCEPT);
      const tallies = [7n * SOL, 7n * SOL];
      const vault = await scene.vault('alice');
      await scene.round(task, all(second, choice));
      if (choice === ABSTAIN) {
        assert.deepEqual([scene.caseOf(task).status, scene.caseOf(task).round], [1, 4]);
        await scene.draw(task);
        await scene.round(task, all(scene.panel(task), choice));
        assert.deepEqual([scene.caseOf(task).accept_weight, scene.caseOf(task).seated_weight], tallies);
      }
      const found = scene.caseOf(task);
      assert.deepEqual([found.status, found.verdict, found.level], [4, ACCEPT, choice === ABSTAIN ? 1 : 2]);
      assert.equal(await scene.vault('alice'), vault);
      assert.equal((await scene.entry(first[0])).rewards, PAY);
      assert.equal((await scene.entry(second[0])).rewards, choice === ABSTAIN ? 0n : PAY);
      scene.pass(86_400);
      await scene.no('NotEnoughAccounts', act.closeCase(task));
      await scene.no('WrongAddress', act.closeCase(task, 'bob', 'carol'));
      const [alice, bob] = [await scene.balance('alice'), await scene.balance('bob')];
      await scene.ok(act.closeCase(task, 'bob', 'alice'));
      assert.equal(await scene.balance('alice') - alice, found.appeal_rent);
      assert.equal(await scene.balance('bob') - bob, scene.rent(360 + 96 * 7));
    }
  });

  test('is the loser\'s alone, once', async () => {
    const { scene, task } = await announced('loser', 15, ACCEPT);
    await scene.no('NotLoser', { ...await act.appeal(task, 'bob'), accounts: { ...(await act.appeal(task, 'bob')).accounts, agent: await act.agentAt('alice') } });
    await scene.ok(act.withdraw('alice', await scene.vault('alice') - BOND + 1n));
    await scene.no('NotEnoughInVault', act.appeal(task, 'alice'));
    await scene.ok(act.deposit('alice', 1n));
    await scene.ok(act.appeal(task, 'alice'));
    assert.equal(scene.caseOf(task).appeal_seats, 8);
    await scene.no('WrongStatus', act.appeal(task, 'alice'));
    await scene.no('WrongStatus', act.finish(task, 'alice'));
  });

  test('needs seven judges that gave no verdict', async () => {
    const scene = await Scene.cast('thirteen', 13);
    const task = await scene.seated({ seats: 7 });
    await scene.round(task, all(scene.panel(task), ACCEPT));
    assert.equal(scene.caseOf(task).status, 4); // final at once
    const { scene: other, task: open, first } = await announced('fourteen', 14, ACCEPT);
    const free = (await other.judgeNames()).filter((name) => !first.includes(name));
    await other.ok(act.beginExit(free[0]));
    await other.ok(act.appeal(open, 'alice')); // one that leaves can be drawn until the season ends
    await other.draw(open);
    assert.deepEqual(new Set(other.panel(open)), new Set(free));
  });

  test('is open to whom an undecided case is against', async () => {
    for (const [on_undecided, party, other] of [[1, 'bob', 'alice'], [2, 'alice', 'bob'], [3, 'alice', null], [3, 'bob', null]]) {
      for (const choice of [ACCEPT, REJECT, ABSTAIN, null]) {
        const scene = await Scene.cast(`undecided ${on_undecided} ${party} ${choice}`, 28);
        const task = await scene.seated({ seats: 7, on_undecided });
        await scene.round(task, all(scene.panel(task), ABSTAIN));
        assert.equal(scene.caseOf(task).status, 1);
        await scene.draw(task);
        await scene.round(task, all(scene.panel(task), ABSTAIN));
        assert.deepEqual([scene.caseOf(task).status, scene.caseOf(task).verdict], [6, 3]);
        const asked = await act.appeal(task, other ?? 'carol');
        const wrong = { ...asked, accounts: { ...asked.accounts, agent: await act.agentAt(other ? party : 'bob') } };
        await scene.no('NotLoser', wrong);
        if (!other) await scene.no('TooEarly', act.finish(task, party));
        if (choice === null) {
          if (other) await scene.ok(act.finish(task, party));
          else {
            scene.pass(3_600);
            await scene.ok(act.finish(task));
          }
        } else {
          await scene.ok(act.appeal(task, party));
          await scene.draw(task);
          await scene.round(task, all(scene.panel(task), choice));
        }
        if (choice === ABSTAIN) {
          await scene.draw(task);
          await scene.round(task, all(scene.panel(task), choice));
        }
        const { status, verdict, level } = scene.caseOf(task);
        assert.deepEqual([status, verdict, level], choice === null || choice === ABSTAIN ? [5, 3, 1] : [4, choice, 2]);
      }
    }
  });

  test('that nobody is drawn for gives its bond back', async () => {
    const { scene, task } = await announced('undrawn', 14, ACCEPT);
    const vault = await scene.vault('alice');
    await scene.ok(act.appeal(task, 'alice'));
    scene.pass(1_799);
    await scene.no('TooEarly', act.expireCase(task));
    scene.pass(1);
    await scene.ok(act.expireCase(task));
    assert.equal(await scene.vault('alice'), vault);
    assert.deepEqual([scene.caseOf(task).verdict, scene.caseOf(task).level, scene.taskOf(task).outcome], [ACCEPT, 1, 1]);
  });

  test('that is not drawn again after a void round leaves the first verdict', async () => {
    const { scene, task, second } = await appealed('not drawn again', 28, ACCEPT);
    await scene.round(task, all(second, ABSTAIN));
    scene.pass(1_800);
    const vault = await scene.vault('alice');
    await scene.ok(act.expireCase(task));
    assert.equal(await scene.vault('alice'), vault);
    assert.equal(scene.caseOf(task).verdict, ACCEPT);
  });

  test('keeps away who gave the verdict, and not who sat in a void round', async () => {
    const scene = await Scene.cast('void first', 28);
    const task = await scene.seated({ seats: 7 });
    await scene.round(task, all(scene.panel(task), ABSTAIN));
    await scene.draw(task);
    const sat = new Set(scene.panel(task));
    await scene.round(task, all(scene.panel(task), REJECT));
    await scene.ok(act.appeal(task, 'bob'));
    assert.equal(scene.caseOf(task).appeal_seats, 28 - sat.size);
    await scene.draw(task);
    assert.ok(scene.panel(task).every((name) => !sat.has(name)));
    assert.deepEqual([scene.caseOf(task).round, scene.caseOf(task).first_round], [3, 2]);
  });

  test('takes evidence against both panels', async () => {
    const { scene, task, first, second } = await appealed('evidence', 28, REJECT);
    await scene.no('BadEvidence', act.slash(task, 0, act.evidence(task, 3, first[0])));
    await scene.ok(act.slash(task, 0, act.evidence(task, 1, first[0])));
    await scene.no('Equivocated', act.slash(task, 0, act.evidence(task, 1, first[0])));
    await scene.no('BadEvidence', act.slash(task, 7, act.evidence(task, 1, second[0])));
    await scene.ok(act.slash(task, 7, act.evidence(task, 3, second[0])));
    await scene.no('NotSeated', act.slash(task, 28, act.evidence(task, 3, second[0])));
    await scene.round(task, all(second.slice(1), ACCEPT));
    assert.equal((await scene.entry(first[0])).live, 0);
    assert.equal((await scene.entry(first[1])).stake, SOL - 20n * PAY);
  });

  test('with the rules of the seed, the panel that decides divides the bond', async () => {
    const { scene, task, first, second } = await appealed('seed', 28, REJECT, { preset: 2, minority: 7 });
    await scene.round(task, { ...all(second, ACCEPT), ...all(second.slice(0, 2), REJECT) });
    assert.equal((await scene.entry(second[0])).stake, SOL - 7n * PAY);
    assert.equal((await scene.entry(first[0])).stake, SOL - 20n * PAY);
    assert.ok((await scene.entry(second[5])).rewards > 9n * PAY);
  });

  test('a court may do without', async () => {
    const { scene, task } = await announced('none', 28, ACCEPT, { appeal_seconds: 0 });
    assert.equal(scene.caseOf(task).status, 4);
    await scene.no('WrongStatus', act.appeal(task, 'alice'));
  });
});
