// Golden cases on the chain: batches, leaves, what they pay, and who lies.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as act from '../lib/act.mjs';
import { NO_HASH, SYSTEM } from '../lib/bytes.mjs';
import { digest } from '../lib/court.mjs';
import { asked, denial } from '../model/rule.mjs';
import { Batch, GOLDEN, RISK, admit, allow, batchAt, challenge, expel, proctorAt } from '../lib/golden.mjs';
import { ABSTAIN, ACCEPT, REJECT, Scene, all } from '../lib/scene.mjs';
import { SOL, wallet } from '../lib/world.mjs';

const [GAIN, LOSS, FEE] = [SOL / 200n, SOL / 50n, 28_000_000n];
const CHALLENGE = 14_400;

/** A court with seven judges, a proctor, and leaves in the Pot's allowance. */
async function court(name, { params = {}, leaves = 64, lamports = SOL, judges = 7 } = {}) {
  const scene = await Scene.cast(name, judges, { ...GOLDEN, ...params });
  await scene.fund('pat', 1_000n * SOL);
  await scene.ok(admit(scene.authority, 'pat'));
  allow(scene, leaves, lamports);
  return scene;
}

/** A batch that is committed. */
async function committed(scene, answers, of) {
  const batch = await Batch.of(scene, answers, of);
  await scene.ok(batch.commit());
  return batch;
}

const right = (answer) => (panel) => all(panel, answer);

/** Two leaves, judged rightly and open; the time to challenge has not passed. */
async function opened(scene, votes = [right(ACCEPT), right(REJECT)]) {
  const batch = await committed(scene, [ACCEPT, REJECT]);
  for (const [i, vote] of votes.entries()) await batch.judged(i, vote);
  for (const i of votes.keys()) await scene.ok(batch.open(i));
  return batch;
}

const record = async (scene, name) => {
  const { right: good, wrong, seen } = await scene.entry(name);
  return [good, wrong, seen];
};

describe('proctors', () => {
  test('are admitted and revoked by the authority', async () => {
    const scene = await court('proctors');
    const mallory = await scene.fund('mallory', SOL);
    await scene.no('AlreadyExists', admit(scene.authority, 'pat'));
    await scene.no('NotAuthority', admit(mallory, 'mallory'));
    await scene.no('NotAuthority', expel(mallory, 'pat', scene.authority));
    await scene.no('WrongAddress', expel(scene.authority, 'pat', mallory));
    const other = await Batch.of(scene, [ACCEPT, REJECT], { by: 'mallory' });
    await scene.no('NotProctor', other.commit());
    const stolen = await other.commit();
    await scene.no('NotProctor', { ...stolen, accounts: { ...stolen.accounts, proctor: await proctorAt('pat') } });
    const batch = await opened(scene);
    await scene.ok(expel(scene.authority, 'pat'));
    await scene.no('WrongOwner', expel(scene.authority, 'pat'));
    await scene.no('NotProctor', (await Batch.of(scene, [ACCEPT, REJECT])).commit());
    scene.pass(CHALLENGE); // a batch that runs goes on
    await scene.ok(batch.apply(0));
  });
});

describe('commit_batch', () => {
  test('keeps its limits', async () => {
    const scene = await court('commit', { leaves: 5 });
    const batch = await Batch.of(scene, [ACCEPT, REJECT]);
    for (const leaves of [0, 1, 257, 2 ** 32 - 1]) await scene.no('BadBatch', batch.commit({ leaves, deposit: 300n * SOL }));
    await scene.no('BadBatch', batch.commit({ root: NO_HASH }));
    await scene.no('TooManyLeaves', batch.commit({ leaves: 6, deposit: 6n * RISK }));
    await scene.no('DepositTooSmall', batch.commit({ deposit: 2n * RISK - 1n }));
    const before = await scene.balance('pat');
    await scene.ok(batch.commit());
    assert.equal(before - (await scene.balance('pat')), 2n * RISK + scene.rent(208));
    assert.deepEqual([scene.pot().allowance, scene.pot().batches], [30_000n, 1n]);
    const again = await batch.commit();
    assert.equal((await scene.dispatch('commit_batch', [scene.instruction(again)])).failed, 'WrongAddress', 'the number is taken');
    await scene.no('TooManyLeaves', (await Batch.of(scene, [ACCEPT, REJECT, ACCEPT, REJECT])).commit());
  });

  test('is refused in a court without golden cases', async () => {
    const scene = await court('no batches', { params: { batch_seconds: 0 } });
    await scene.no('BadBatch', (await Batch.of(scene, [ACCEPT, REJECT])).commit());
  });

  test('makes a batch at an address with lamports, which the proctor gets', async () => {
    for (const lamports of [1n, 50n * SOL]) {
      const scene = await court(`prefunded batch ${lamports}`);
      const { address } = await batchAt(0n);
      scene.restore(address, { address, lamports, programAddress: SYSTEM, data: new Uint8Array() });
      if (lamports > SOL) scene.strays.set(address, lamports - scene.rent(208));
      const batch = await opened(scene);
      scene.pass(CHALLENGE);
      for (const i of [0, 1]) await scene.ok(batch.apply(i));
      await scene.ok(batch.close());
    }
  });

  // A case under other rules could be closed early, and its leaf would look void.
  test('attack: a version with a short time for evidence takes effect within the batch', async () => {
    const scene = await court('commit before a change');
    await scene.ok(scene.announce({ batch_seconds: 0, evidence_seconds: 60 }));
    scene.pass(172_800 - 43_200);
    await scene.ok((await Batch.of(scene, [ACCEPT, REJECT])).commit());
    scene.pass(1);
    await scene.no('WrongRules', (await Batch.of(scene, [ACCEPT, REJECT])).commit());
  });
});

describe('the allowance', () => {
  test('grows with each case that ends, up to the largest batch', async () => {
    const scene = await court('allowance', { leaves: 0 });
    const task = await scene.seated();
    await scene.round(task, {}); // void
    assert.equal(scene.pot().allowance, 0n);
    await scene.draw(task);
    await scene.round(task, all(scene.panel(task), ACCEPT));
    assert.equal(scene.pot().allowance, 5_000n);
    const expired = await scene.contested();
    scene.pass(1_800);
    await scene.ok(act.expireCase(expired));
    assert.equal(scene.pot().allowance, 10_000n);
    allow(scene, 255);
    for (const expected of [2_555_000n, 2_560_000n, 2_560_000n]) {
      const more = await scene.contested();
      scene.pass(1_800);
      await scene.ok(act.expireCase(more));
      assert.equal(scene.pot().allowance, expected);
    }
  });
});

describe('a golden case', () => {
  test('pays right votes, takes from wrong ones, and counts both', async () => {
    const scene = await court('golden');
    const votes = (answer) => (panel) => ({
      ...all(panel, answer), j0: answer === ACCEPT ? REJECT : ACCEPT, j1: ABSTAIN, j2: undefined,
    });
    const batch = await opened(scene, [votes(ACCEPT), votes(REJECT)]);
    await scene.no('TooEarly', batch.apply(0));
    scene.pass(CHALLENGE - 1);
    await scene.no('TooEarly', batch.apply(0));
    scene.pass(1);
    const before = Object.fromEntries(await Promise.all(['j0', 'j1', 'j2', 'j3'].map(async (name) => [name, await scene.entry(name)])));
    const { golden } = scene.pot();
    await scene.ok(batch.apply(0));
    await scene.no('NotGolden', batch.apply(0));
    const after = async (name) => {
      const { stake, rewards } = await scene.entry(name);
      return [stake - before[name].stake, rewards - before[name].rewards];
    };
    assert.deepEqual(await after('j0'), [-LOSS, 0n]);
    assert.deepEqual(await after('j1'), [0n, 0n]);
    assert.deepEqual(await after('j2'), [0n, 0n]);
    assert.deepEqual(await after('j3'), [0n, GAIN]);
    assert.deepEqual([await record(scene, 'j0'), await record(scene, 'j1'), await record(scene, 'j2')], [[0, 1, 1], [0, 0, 1], [0, 0, 1]]);
    assert.deepEqual(await record(scene, 'j3'), [1, 0, 1]);
    assert.equal(scene.pot().golden, golden + LOSS - 4n * GAIN - FEE);
    await scene.no('TooEarly', batch.close());
    await scene.ok(batch.apply(1));
    await scene.no('WrongAddress', batch.close('alice'));
    const purse = await scene.balance('pat');
    await scene.ok(batch.close());
    assert.equal((await scene.balance('pat')) - purse, 2n * RISK + 2n * FEE + scene.rent(208));
  });

  test('that a poor Pot pays, pays equal parts, and the proctor last', async () => {
    const scene = await court('poor pot', { lamports: 0n });
    const batch = await opened(scene);
    allow(scene, 0, 14_000_007n - scene.pot().golden > 0n ? 14_000_007n - scene.pot().golden : 0n);
    scene.pass(CHALLENGE);
    for (const i of [0, 1]) await scene.ok(batch.apply(i));
    for (const i of [0, 1]) assert.equal(scene.get(batch.tasks[i].case.address).applied, 1);
  });

  test('without a panel counts, and moves nothing', async () => {
    const scene = await court('golden without panel');
    const batch = await committed(scene, [ACCEPT, REJECT]);
    await batch.judged(0, right(ACCEPT));
    const task = await batch.post(1);
    await scene.no('WrongStatus', batch.open(1));
    scene.pass(1_800);
    await scene.ok(act.expireCase(task));
    for (const i of [0, 1]) await scene.ok(batch.open(i));
    scene.pass(CHALLENGE);
    const { golden } = scene.pot();
    await scene.ok(batch.apply(1));
    assert.equal(scene.pot().golden, golden);
  });

  test('leaves out a seat that equivocated, and a judge that left', async () => {
    const scene = await court('golden and equivocation');
    const batch = await opened(scene);
    const [task] = batch.tasks;
    await scene.ok(act.slash(task, scene.panel(task).indexOf('j1'), act.evidence(task, 1, 'j1')));
    scene.pass(CHALLENGE);
    const { rewards } = await scene.entry('j1');
    await scene.ok(batch.apply(0));
    assert.equal((await scene.entry('j1')).rewards, rewards);
    assert.deepEqual(await record(scene, 'j1'), [0, 0, 1]);
  });
});

describe('open_leaf', () => {
  test('takes a leaf of the batch once, from its proctor', async () => {
    const scene = await court('open');
    const batch = await committed(scene, [ACCEPT, REJECT, ACCEPT, REJECT]);
    await batch.judged(0, right(ACCEPT));
    await scene.fund('mallory', SOL);
    await scene.no('NotProctor', batch.open(0, { by: 'mallory' }));
    for (const answer of [0, 3, 255]) await scene.no('BadChoice', batch.open(0, { answer }));
    const other = digest('other');
    for (const change of [
      { answer: REJECT }, { seed: other }, { generator: other }, { task_hash: other }, { result_hash: other }, { objection_hash: other },
      { counter_hash: other }, { index: 1 }, { index: 4 }, { index: 2 ** 32 - 4 }, { path: new Uint8Array() }, { path: batch.path(1) },
      { path: batch.path(0).slice(0, 32) }, { path: Uint8Array.from([...batch.path(0), 0]) }, { path: new Uint8Array(64) },
    ]) {
      const result = await scene.call(batch.open(0, change));
      assert.equal(result.failed, 'NotInBatch', JSON.stringify(change));
    }
    await scene.no('NotInBatch', batch.open(0, { task: batch.tasks[1] }));
    await scene.ok(batch.open(0));
    await scene.no('LeafOpen', batch.open(0));
    assert.deepEqual([batch.read().opened, batch.read().accepts, batch.read().exposed], [1, 1, 7n * LOSS]);
    scene.pass(43_200);
    await scene.no('TooLate', batch.open(1));
  });

  test('refuses the case of another task', async () => {
    const scene = await court('open with another case');
    const batch = await committed(scene, [ACCEPT, REJECT]);
    for (const i of [0, 1]) await batch.judged(i, right(ACCEPT));
    const action = await batch.open(0);
    await scene.no('WrongAddress', { ...action, accounts: { ...action.accounts, case: batch.tasks[1].case } });
  });

  // A proctor could otherwise declare void what its own judges lost.
  test('attack: a leaf with its documents is declared void', async () => {
    const scene = await court('void by choice');
    const batch = await committed(scene, [ACCEPT, REJECT]);
    await batch.judged(0, right(REJECT)); // all are wrong
    const action = await batch.open(0);
    await scene.no('NotEnoughAccounts', { ...action, accounts: { ...action.accounts, case: null } });
    await scene.ok(action);
    assert.equal(batch.read().void, 0);
  });

  test('a leaf is void if a stranger claimed it, or if its dispute did not come about', async () => {
    const scene = await court('void');
    const batch = await committed(scene, [ACCEPT, REJECT, ACCEPT, REJECT, ACCEPT, REJECT]);
    await batch.judged(0, right(REJECT), { worker: 'carol', texts: { result: 'the work of a stranger' } });
    await batch.post(1, { until: 'object' });
    await batch.post(2, { until: 'create' });
    await batch.post(3, { seal: digest('another seal') });
    await batch.post(4, { texts: { counter: 'something else' } });
    for (const i of [0, 1, 2, 3, 4, 5]) {
      const action = await batch.open(i); // the last one has no task
      await scene.ok({ ...action, accounts: { ...action.accounts, case: null } });
      assert.equal(batch.read().void, i + 1);
    }
    assert.equal(scene.get(batch.tasks[0].case.address).golden, 0);
  });

  test('attack: a task that is older than its batch, whose votes are known', async () => {
    const scene = await court('older than the batch');
    const batch = await Batch.of(scene, [ACCEPT, REJECT]);
    await batch.judged(0, right(ACCEPT));
    await scene.ok(batch.commit());
    const action = await batch.open(0);
    await scene.ok({ ...action, accounts: { ...action.accounts, case: null } });
    assert.equal(batch.read().void, 1);
  });

  // Its engine would choose, after the task was posted, whether there is a case.
  test('attack: a golden case names another engine, which is silent, so that the court decides', async () => {
    const scene = await court('leaf with an engine');
    await scene.agent('engineer');
    const batch = await committed(scene, [ACCEPT, REJECT]);
    const [decided, silent] = [await batch.post(0, { terms: await act.engineTerms() }), await batch.post(1, { terms: await act.engineTerms() })];
    await scene.says(decided, REJECT);
    await scene.ok(act.settleByEngine(decided));
    scene.pass(600);
    await scene.ok(act.openCase(silent));
    await scene.draw(silent, 1_400_000);
    await scene.round(silent, all(scene.panel(silent), ACCEPT)); // all are wrong
    for (const i of [0, 1]) {
      const action = await batch.open(i);
      await scene.ok({ ...action, accounts: { ...action.accounts, case: null } });
      assert.equal(batch.read().void, i + 1);
    }
    assert.equal(scene.get(silent.case.address).golden, 0);
  });

  test('attack: rewards that make the losses larger than the deposit', async () => {
    const scene = await court('deposit exceeded', { params: { max_seat_weight: 100n * SOL }, judges: 0 });
    await scene.judges(7, 50n * SOL);
    await scene.ok(act.season());
    scene.advance(1n);
    const batch = await Batch.of(scene, [ACCEPT, REJECT]);
    await scene.ok(batch.commit({ deposit: 2n * RISK }));
    const reward = 20n * SOL; // a fee of 0.02, a loss of 0.4 for each of 7 seats
    await batch.judged(0, right(ACCEPT), { terms: { reward_min: reward, reward_max: reward } });
    await scene.no('DepositTooSmall', batch.open(0));
  });
});

describe('a batch that fails', () => {
  test('attack: selective opening costs the deposit and moves nothing', async () => {
    const scene = await court('incomplete');
    const batch = await committed(scene, [ACCEPT, REJECT]);
    for (const i of [0, 1]) await batch.judged(i, right(ACCEPT));
    await scene.ok(batch.open(0));
    await scene.no('BatchIncomplete', batch.apply(0));
    await scene.no('TooEarly', batch.close());
    scene.pass(43_200);
    await scene.no('BatchIncomplete', batch.apply(0));
    const [{ golden }, purse] = [scene.pot(), await scene.balance('pat')];
    await scene.ok(batch.close());
    assert.equal(scene.pot().golden - golden, 2n * RISK);
    assert.equal((await scene.balance('pat')) - purse, scene.rent(208));
  });

  test('attack: a batch of one answer costs the deposit at once', async () => {
    const scene = await court('unbalanced');
    const batch = await committed(scene, [REJECT, REJECT]);
    for (const i of [0, 1]) await batch.judged(i, right(REJECT));
    for (const i of [0, 1]) await scene.ok(batch.open(i));
    scene.pass(CHALLENGE);
    await scene.no('BatchIncomplete', batch.apply(0));
    const { golden } = scene.pot();
    await scene.ok(batch.close());
    assert.equal(scene.pot().golden - golden, 2n * RISK);
  });

  test('a tenth of the leaves may be void, and no more', async () => {
    for (const [voids, fair] of [[1, true], [2, false]]) {
      const scene = await court(`${voids} void leaves`);
      const answers = Array.from({ length: 11 + voids }, (_, i) => (i % 2 ? REJECT : ACCEPT));
      const batch = await committed(scene, answers.slice(0, 10 + voids));
      const last = answers.length - 1;
      for (let i = 0; i < 10; i++) await batch.judged(i, right(answers[i]));
      for (let i = 0; i < 10 + voids; i++) await scene.ok(batch.open(i));
      assert.ok(last > 0);
      scene.pass(CHALLENGE);
      if (fair) await scene.ok(batch.apply(0));
      else await scene.no('BatchIncomplete', batch.apply(0));
    }
  });

  test('in a court that was paused for a tenth of its time loses nothing', async () => {
    for (const [resumed, paused] of [[true, 4_320], [false, 4_320], [true, 4_319], [false, 0]]) {
      const scene = await court(`paused ${resumed} ${paused}`);
      const batch = await committed(scene, [ACCEPT, REJECT]);
      await scene.ok(scene.pause(1));
      scene.pass(paused);
      if (resumed) await scene.ok(scene.pause(0));
      for (const i of [0, 1]) await scene.ok(batch.open(i));
      const { golden } = scene.pot();
      await scene.ok(batch.close());
      assert.equal(scene.pot().golden - golden, paused === 4_320 ? 0n : 2n * RISK);
    }
    const scene = await court('paused before');
    await scene.ok(scene.pause(1));
    scene.pass(43_200);
    await scene.ok(scene.pause(0));
    scene.pass(1);
    const batch = await committed(scene, [ACCEPT, REJECT]);
    scene.pass(43_200);
    const { golden } = scene.pot();
    await scene.ok(batch.close());
    assert.equal(scene.pot().golden - golden, 2n * RISK);
  });

  test('attack: a pause that uses up the time to challenge', async () => {
    const scene = await court('paused challenge');
    const batch = await opened(scene);
    await scene.ok(scene.pause(1));
    scene.pass(CHALLENGE);
    await scene.no('Paused', batch.apply(0));
    await scene.ok(scene.pause(0));
    await scene.no('TooEarly', batch.apply(0));
    scene.pass(CHALLENGE);
    await scene.ok(batch.apply(0));
  });

  test('ends when its cases may be gone, applied or not', async () => {
    const scene = await court('not applied');
    const batch = await opened(scene);
    scene.pass(CHALLENGE);
    await scene.ok(batch.apply(0));
    scene.pass(batch.read().keep_until - scene.time - 1n);
    await scene.no('TooEarly', batch.close());
    scene.pass(1);
    const purse = await scene.balance('pat');
    await scene.ok(batch.close());
    assert.equal((await scene.balance('pat')) - purse, 2n * RISK + FEE + scene.rent(208));
  });

  test('attack: the open case of another batch is applied', async () => {
    const scene = await court('other batch');
    const one = await opened(scene);
    const two = await opened(scene);
    scene.pass(CHALLENGE);
    await scene.no('NotGolden', one.apply(0, two.at));
    const stranger = await scene.seated();
    await scene.round(stranger, all(scene.panel(stranger), ACCEPT));
    await scene.no('NotGolden', { name: 'apply_leaf', accounts: { batch: one.at, case: stranger.case } });
    await scene.ok(one.apply(0));
    await scene.ok(two.apply(0));
  });
});

describe('a challenge', () => {
  const asker = (batch) => (i, of) => challenge(batch, i, { vote: ACCEPT, creator: 'carol', ...of });

  test('attack: a lying proctor, whose leaf a case finds false, loses its deposit', async () => {
    const scene = await court('lying proctor');
    const batch = await opened(scene, [right(REJECT), right(REJECT)]); // the first leaf says accept
    const ask = asker(batch);
    const task = await ask(0);
    const stakes = scene.roster().total_stake;
    const [{ golden }, vault, purse] = [scene.pot(), await scene.vault('bob'), await scene.balance('pat')];
    await scene.ok(batch.uphold(0, task));
    assert.equal((await scene.vault('bob')) - vault, RISK / 5n);
    assert.equal(scene.pot().golden - golden, 2n * RISK - RISK / 5n);
    assert.equal((await scene.balance('pat')) - purse, scene.rent(208));
    assert.equal(scene.roster().total_stake, stakes);
    scene.pass(CHALLENGE);
    assert.equal((await scene.dispatch('apply_leaf', [scene.instruction(await batch.apply(0))])).failed, 'WrongOwner');
  });

  test('needs the verdict that this leaf is false', async () => {
    const scene = await court('challenges that fail');
    const batch = await opened(scene);
    const other = digest('other');
    const ask = asker(batch);
    const lost = await ask(0, { vote: REJECT });
    await scene.no('NotFalse', batch.uphold(0, lost));
    const running = await ask(0, { vote: null });
    await scene.no('NotFalse', batch.uphold(0, running));
    const yes = await ask(0, { text: '{"leaf_is_false":false}' });
    await scene.no('NotFalse', batch.uphold(0, yes));
    const elsewhere = await ask(0, { terms: { task_hash: other } });
    await scene.no('NotFalse', batch.uphold(0, elsewhere));
    const good = await ask(1);
    await scene.no('NotFalse', batch.uphold(0, good));
    for (const change of [{ seed: other }, { generator: other }]) await scene.no('NotInBatch', batch.uphold(1, good, change));
    const action = await batch.uphold(1, good);
    const mixed = (accounts) => ({ ...action, accounts: { ...action.accounts, ...accounts } });
    await scene.no('WrongAddress', mixed({ golden_case: batch.tasks[0].case }));
    await scene.no('WrongAddress', mixed({ case: lost.case }));
    await scene.no('NotGolden', mixed({ golden_task: lost, golden_case: lost.case }));
    await scene.no('WrongAddress', mixed({ wallet: await act.key('bob') }));
    await scene.ok(action);
  });

  test('waits for the proctor, which may appeal', async () => {
    const scene = await court('appealed challenge', { judges: 28 });
    await scene.agent('pat');
    const batch = await opened(scene);
    const ask = asker(batch);
    const seats = { terms: { seats: 14 } };
    const [given, task] = [await ask(0, seats), await ask(0, seats)];
    await scene.no('NotFalse', batch.uphold(0, task)); // it may be appealed
    await scene.ok(act.finish(given, 'carol'));
    await scene.no('NotFalse', batch.uphold(0, given)); // its loser gave the appeal up, and is no proctor
    await scene.no('NotProctor', batch.appeal(0, task, { by: 'carol' }));
    await scene.no('NotInBatch', batch.appeal(0, task, { seed: digest('other') }));
    await scene.no('NotLoser', batch.appeal(1, task));
    await scene.no('WrongStatus', batch.appeal(0, given));
    const vault = await scene.vault('pat');
    const { events } = await scene.ok(batch.appeal(0, task));
    assert.deepEqual([events[0].event, events[0].seats, events[0].bond], ['Appealed', 14, 0n]);
    assert.equal(await scene.vault('pat'), vault);
    await scene.draw(task, 1_400_000);
    await scene.round(task, all(scene.panel(task), REJECT));
    await scene.no('NotFalse', batch.uphold(0, task));
    const [late, few] = [await ask(1, seats), await ask(1, { terms: { seats: 7 } })];
    scene.pass(3_600);
    await scene.ok(act.finish(few));
    await scene.no('NotFalse', batch.uphold(1, few)); // seven judges are no half of a full panel
    await scene.no('TooLate', batch.appeal(1, late));
    await scene.ok(act.finish(late));
    await scene.ok(batch.uphold(1, late));
  });

  test('ends the batch and takes half of the deposit if the appeal decides nothing', async () => {
    const scene = await court('doubted challenge', { judges: 28 });
    const batch = await opened(scene);
    const ask = asker(batch);
    const [few, task] = [await ask(0, { terms: { seats: 7 } }), await ask(0, { terms: { seats: 14 } })];
    for (const challenge of [few, task]) {
      await scene.ok(batch.appeal(0, challenge));
      for (let round = 0; round < 2; round++) {
        await scene.draw(challenge, 1_400_000);
        await scene.round(challenge, all(scene.panel(challenge), ABSTAIN));
      }
    }
    await scene.no('NotFalse', batch.uphold(0, few));
    const { deposit } = batch.read();
    const golden = scene.pot().golden;
    const [{ event, amount }, closed] = (await scene.ok(batch.uphold(0, task))).events;
    assert.equal(event, 'ChallengeUpheld');
    assert.equal(closed.outcome, 5);
    assert.equal(scene.pot().golden, golden + (deposit - amount) / 2n);
    assert.ok(closed.amount > (deposit - amount) / 2n && closed.amount < deposit - amount);
  });

  test('attack: an engine of the worker says that a true leaf is false', async () => {
    const scene = await court('engine challenge');
    await scene.agent('engineer');
    const batch = await opened(scene);
    const terms = { task_hash: asked(batch.leaves[0]), ...await act.engineTerms() };
    const task = await scene.created(terms);
    await scene.claim(task, 'bob');
    await scene.ok(act.start(task));
    await scene.ok(act.submit(task, denial));
    for (const step of [act.object, act.counter]) await scene.ok(step(task));
    await scene.says(task, ACCEPT);
    await scene.ok(act.settleByEngine(task));
    await scene.no('WrongOwner', batch.uphold(0, task)); // no case was opened
    assert.equal(batch.read().deposit, 2n * RISK);
  });

  test('comes too late when a leaf was applied', async () => {
    const scene = await court('late challenge');
    const batch = await opened(scene);
    const ask = asker(batch);
    const task = await ask(1);
    scene.pass(CHALLENGE);
    await scene.ok(batch.apply(0));
    await scene.no('TooLate', batch.uphold(1, task));
  });
});

describe('a season that asks for the credential', () => {
  /** Writes records into the Roster, past all rules. */
  async function records(scene, of) {
    const { encode } = await import('../lib/account.mjs');
    const { ROSTER } = await import('../lib/court.mjs');
    const roster = scene.roster();
    for (const [i, entry] of roster.entries.entries()) {
      const { passed, ...fields } = of(i);
      Object.assign(entry, fields);
      if (passed !== undefined) entry.owned = (entry.owned & 3) + (passed ? 4 : 0);
    }
    scene.set({ ...scene.raw(ROSTER.address), data: encode(roster) });
  }
  const bad = { right: 12, wrong: 8, seen: 20, passed: true };
  const good = { right: 13, wrong: 7, seen: 20, passed: true };
  const young = { right: 0, wrong: 4, seen: 4, passed: false };

  test('leaves out judges with a bad record', async () => {
    const scene = await court('credential', { params: { credential: 1 }, judges: 10 });
    await records(scene, (i) => [bad, { right: 9, wrong: 0, seen: 20, passed: false }, young, good][Math.min(i, 3)]);
    const { events } = await scene.season();
    assert.equal(events[0].few, 0);
    const weights = scene.roster().entries.map(({ weight }) => weight);
    assert.deepEqual(weights, [0n, 0n, ...Array(8).fill(SOL)]);
  });

  test('keeps the last list if too few judges are left', async () => {
    const scene = await court('few', { params: { credential: 1 }, judges: 8 });
    await records(scene, (i) => (i < 2 ? bad : good));
    await scene.judge('fresh', { stake: 2n * SOL });
    assert.equal((await scene.season()).events[0].few, 0); // six and the new one
    assert.equal(scene.roster().weight, 8n * SOL);
    await records(scene, (i) => (i < 3 ? bad : good));
    assert.equal((await scene.season()).events[0].few, 1);
    assert.deepEqual(scene.roster().entries.map(({ weight }) => weight), [0n, 0n, ...Array(6).fill(SOL), 2n * SOL]);
  });

  const untried = { right: 0, wrong: 0, seen: 0, passed: false };

  test('lets novices weigh a ninth of the proven judges, in equal parts', async () => {
    const scene = await court('novices', { params: { credential: 2 }, judges: 14 });
    await records(scene, (i) => (i < 3 || i > 11 ? untried : i === 3 ? bad : good)); // eight are proven
    assert.equal((await scene.season()).events[0].few, 0);
    const least = SOL / 4n; // three of the five novices have room
    assert.deepEqual(scene.roster().entries.map(({ weight }) => weight),
      [least, least, least, 0n, ...Array(8).fill(SOL), 0n, 0n]);
    await records(scene, (i) => (i === 0 ? good : {})); // the first one is through, and the last ones come
    assert.equal((await scene.season()).events[0].few, 0);
    assert.deepEqual(scene.roster().entries.map(({ weight }) => weight),
      [SOL, least, least, 0n, ...Array(8).fill(SOL), least, least]);
  });

  test('lets novices count in full if too few judges are proven', async () => {
    const scene = await court('no novices', { params: { credential: 2 }, judges: 9 });
    await records(scene, (i) => (i < 6 ? good : i === 6 ? bad : untried)); // six of seven, and room for two
    assert.equal((await scene.season()).events[0].few, 0);
    const part = 6n * SOL / 9n / 2n;
    assert.deepEqual(scene.roster().entries.map(({ weight }) => weight), [...Array(6).fill(SOL), 0n, part, part]);
    await records(scene, (i) => (i < 4 ? good : i === 6 ? bad : untried)); // four of seven, and room for one
    assert.equal((await scene.season()).events[0].few, 1);
    assert.deepEqual(scene.roster().entries.map(({ weight }) => weight), [...Array(6).fill(SOL), 0n, SOL, SOL]);
  });

  test('lets the weight of a proven judge double after five golden cases', async () => {
    const scene = await court('growth', { params: { credential: 2 }, judges: 8 });
    await scene.judge('grown', { stake: 10n * SOL });
    const grown = () => scene.roster().entries[8];
    await records(scene, () => good);
    for (const [since, weight, left] of [[0, 1n, 0], [4, 1n, 4], [5, 2n, 0], [0, 2n, 0], [255, 4n, 0], [5, 8n, 0], [5, 10n, 0], [5, 10n, 5]]) {
      await records(scene, (i) => (i === 8 ? { since } : {}));
      await scene.season();
      assert.deepEqual([grown().weight, grown().since], [weight * SOL, left]);
    }
  });

  test('attack: a great novice gets no more than the room', async () => {
    const scene = await court('great novice', { params: { credential: 2 }, judges: 8 });
    await scene.judge('whale', { stake: 10n * SOL });
    await records(scene, (i) => (i < 8 ? good : untried));
    await scene.season();
    assert.equal(scene.roster().entries[8].weight, 8n * SOL / 9n);
    assert.equal(scene.roster().weight, 8n * SOL + 8n * SOL / 9n);
  });

  test('asks for nothing if the rules do not', async () => {
    const scene = await court('no credential');
    await records(scene, () => bad);
    await scene.season();
    assert.equal(scene.roster().weight, 7n * SOL);
  });
});

test('a task without a seal would say that its case is not golden', async () => {
  const scene = await court('no seal');
  await wallet('alice');
  await scene.no('MissingHash', act.create(await act.handle('alice', 0n), { seal: NO_HASH }));
});
