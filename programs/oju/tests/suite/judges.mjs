// The Roster: joining, topping up, leaving, being paid.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as act from '../lib/act.mjs';
import { MAX } from '../lib/bytes.mjs';
import { ed25519 } from '../lib/call.mjs';
import { ROSTER, digest } from '../lib/court.mjs';
import { ACCEPT, Scene, all } from '../lib/scene.mjs';
import { SOL, peer } from '../lib/world.mjs';

describe('join_roster', () => {
  test('takes stake and binds the node key', async () => {
    const scene = await Scene.begin('join');
    await scene.judge('j0', { stake: 3n * SOL, operator: 'olga' });
    await scene.judge('j1');
    const { stake, peer: node, operator } = await scene.entry('j0');
    assert.deepEqual([stake, node, operator], [3n * SOL, peer('j0').address, await act.key('olga')]);
    assert.equal(scene.raw(ROSTER.address).data.length, 1_352 + 2 * 224);
    await scene.no('AlreadyOnRoster', act.join('j0', SOL));
    await scene.fund('j2', 5n * SOL);
    await scene.no('PeerTaken', act.join('j2', SOL, { node: 'j0' }));
    await scene.no('StakeTooSmall', act.join('j2', SOL - 1n));
    await scene.no('NoWithdrawKey', act.join('j2', SOL, { cold: null }));
    await scene.fund('j2', 5n * SOL);
    const unsigned = await act.join('j2', SOL, { operator: 'olga' });
    await scene.no('NotEnoughAccounts', { ...unsigned, accounts: { ...unsigned.accounts, operator: null } });
    await scene.ok(scene.pause(1));
    await scene.no('Paused', act.join('j2', SOL));
  });

  test('needs the node key\'s own proof', async () => {
    const scene = await Scene.begin('join proof');
    await scene.fund('j0', 5n * SOL);
    const proof = (changes) => act.joinProofOf('j0', changes);
    const message = peer('j0').say(Buffer.from('oju:join:v1 and more'));
    const good = await proof();
    const self = { name: 'join_roster', ...await act.join('j0', SOL) };
    const others = [
      null, await proof({ node: 'j1' }), await proof({ authority: 'j1' }), await proof({ network: digest('other') }),
      await proof({ program: await act.key('j9') }), ed25519([message]), ed25519([]),
    ];
    for (const before of others) await scene.no('BadPeerProof', act.join('j0', SOL, { before }));
    const two = [peer('j0').say(Buffer.from(good.data.slice(112))), message];
    await scene.no('BadPeerProof', act.join('j0', SOL, { before: ed25519(two) }));
    for (const at of [[0, 0xffff, 0xffff], [0xffff, 0, 0xffff], [0xffff, 0xffff, 0]]) {
      const before = ed25519([peer('j0').say(Buffer.from(good.data.slice(112)))], at);
      await scene.no('BadPeerProof', act.join('j0', SOL, { before }));
    }
    const instruction = scene.instruction(self);
    const idle = scene.instruction(scene.idle());
    assert.equal((await scene.dispatch('join_roster', [good, idle, instruction])).failed, 'BadPeerProof');
    await scene.ok(act.join('j0', SOL));
  });

  test('is full at max_judges, and takes free entries first', async () => {
    const scene = await Scene.begin('roster full', { max_judges: 7 });
    await scene.judges(7);
    await scene.fund('late', 5n * SOL);
    await scene.no('RosterFull', act.join('late', SOL));
    for (const name of ['j4', 'j2']) await scene.ok(act.beginExit(name));
    await scene.no('RosterFull', act.join('late', SOL));
    scene.pass(172_800);
    for (const name of ['j4', 'j2']) {
      await scene.released(name);
      await scene.ok(act.withdrawStake(name));
    }
    await scene.ok(act.join('late', SOL));
    assert.equal(scene.roster().entries[2].authority, await act.key('late'));
    await scene.ok(act.join('j2', SOL));
    assert.equal(scene.roster().entries[4].authority, await act.key('j2'));
    assert.deepEqual([scene.roster().count, scene.roster().active], [7, 7]);
    await scene.fund('later', 5n * SOL);
    await scene.no('RosterFull', act.join('later', SOL));
  });

  test('lamports that outsiders send to the Roster are nobody\'s', async () => {
    const scene = await Scene.cast('roster gift', 7);
    const account = scene.raw(ROSTER.address);
    scene.set({ ...account, lamports: account.lamports + 9n * SOL });
    scene.strays.set(ROSTER.address, 9n * SOL);
    await scene.judge('j7');
    const task = await scene.seated();
    await scene.round(task, all(scene.panel(task), ACCEPT));
    await scene.ok(act.claimReward('j0'));
    await scene.ok(act.beginExit('j1'));
    scene.pass(172_800);
    await scene.released('j1');
    await scene.ok(act.withdrawStake('j1'));
  });
});

describe('top_up', () => {
  test('a judge adds to its own stake', async () => {
    const scene = await Scene.begin('top up');
    await scene.judge('j0');
    for (const name of ['j0', 'olga']) await scene.fund(name, 5n * SOL);
    await scene.ok(act.topUp('j0', 2n * SOL));
    assert.equal((await scene.entry('j0')).stake, 3n * SOL);
    await scene.no('ZeroAmount', act.topUp('j0', 0n));
    await scene.no('NotOnRoster', act.topUp('olga', SOL));
    await scene.no('Overflow', act.topUp('j0', MAX));
  });

  test('counts from the next season on', async () => {
    const scene = await Scene.cast('top up counts later', 7);
    await scene.fund('j0', 5n * SOL);
    await scene.ok(act.topUp('j0', SOL));
    await scene.ok(act.topUp('j0', SOL));
    assert.deepEqual([(await scene.entry('j0')).weight, scene.roster().weight], [SOL, 7n * SOL]);
    await scene.season();
    const { weight, weight_before, owned } = await scene.entry('j0');
    assert.deepEqual([weight, weight_before, owned, scene.roster().weight], [3n * SOL, SOL, 3, 9n * SOL]);
  });
});

describe('begin_season', () => {
  test('waits for its time and its slots, once there is a court', async () => {
    const scene = await Scene.begin('seasons');
    await scene.ok(act.season());
    await scene.judges(6);
    await scene.no('SeasonRuns', act.season()); // a draw must not forget its seed slot
    scene.at(scene.time, scene.slot + 513n);
    await scene.ok(act.season());
    await scene.judge('late');
    scene.at(scene.time, scene.slot + 512n);
    await scene.no('SeasonRuns', act.season());
    scene.at(scene.time, scene.slot + 1n);
    await scene.ok(act.season());
    await scene.no('SeasonRuns', act.season());
    scene.at(scene.time + 86_400n, scene.roster().season_slot + 512n);
    await scene.no('SeasonRuns', act.season());
    scene.at(scene.time - 1n, scene.slot + 1n);
    await scene.no('SeasonRuns', act.season());
    scene.at(scene.time + 1n, scene.slot);
    await scene.ok(act.season());
    assert.equal(scene.roster().weight, 7n * SOL);
  });

  test('is replaced after the longest case if it seats nobody', async () => {
    const scene = await Scene.cast('emptied', 8);
    for (const name of ['j0', 'j1']) await scene.ok(act.beginExit(name));
    await scene.season();
    const { season_at } = scene.roster();
    const longest = 3_600n + 4n * (1_800n + 420n + 180n); // two rounds, the time to appeal, two more
    scene.at(season_at + longest - 1n, scene.slot + 513n);
    await scene.no('SeasonRuns', act.season());
    scene.at(scene.time + 1n, scene.slot);
    await scene.ok(act.season());
    assert.equal(scene.roster().weight, 6n * SOL);
  });

  test('a stake stays while a season has its weight', async () => {
    const scene = await Scene.cast('left', 8, { cooldown_seconds: 172_800 });
    await scene.ok(act.beginExit('j3'));
    scene.pass(172_800);
    for (const [weight, weight_before] of [[SOL, 0n], [0n, SOL]]) {
      const entry = await scene.entry('j3');
      assert.deepEqual([entry.weight, entry.weight_before], [weight, weight_before]);
      await scene.no('SeasonRuns', act.withdrawStake('j3'));
      await scene.season();
    }
    await scene.ok(act.withdrawStake('j3'));
    assert.deepEqual([scene.roster().weight, scene.roster().pages[0]], [7n * SOL, 7n * SOL]);
    await scene.judge('heir', { stake: 9n * SOL });
    const { weight, owned } = await scene.entry('heir');
    assert.deepEqual([weight, owned], [0n, 0]);
    const task = await scene.seated();
    assert.ok(!scene.panel(task).includes('heir') && scene.panel(task).length === 7);
    await scene.season();
    assert.equal(scene.roster().weight, 16n * SOL);
  });
});

describe('leaving', () => {
  test('takes the cooldown, to the second', async () => {
    const scene = await Scene.begin('exit');
    await scene.judge('j0', { stake: 2n * SOL });
    await scene.no('NotExiting', act.withdrawStake('j0'));
    await scene.ok(act.beginExit('j0'));
    await scene.no('AlreadyExiting', act.beginExit('j0'));
    await scene.no('AlreadyOnRoster', act.join('j0', SOL));
    scene.pass(172_799);
    await scene.no('TooEarly', act.withdrawStake('j0'));
    await scene.ok(act.topUp('j0', 5n));
    scene.pass(1);
    const before = await scene.balance('j0');
    await scene.ok(act.withdrawStake('j0'));
    assert.equal(await scene.balance('j0') - before, 2n * SOL + 5n);
    await scene.no('NotOnRoster', act.withdrawStake('j0'));
    await scene.no('NotOnRoster', act.beginExit('j0'));
  });

  test('brings the rewards along', async () => {
    const scene = await Scene.cast('exit with rewards', 7);
    const task = await scene.seated();
    await scene.round(task, all(scene.panel(task), ACCEPT));
    const { rewards } = await scene.entry('j3');
    assert.ok(rewards > 0n);
    await scene.ok(act.beginExit('j3'));
    scene.pass(172_800);
    await scene.released('j3');
    const before = await scene.balance('j3');
    await scene.ok(act.withdrawStake('j3'));
    assert.equal(await scene.balance('j3') - before, SOL + rewards);
  });

  test('waits for a live round', async () => {
    const scene = await Scene.cast('exit in a round', 7, { cooldown_seconds: 4_800, season_seconds: 2_400, draw_seconds: 1_000, evidence_seconds: 0, appeal_seconds: 0 });
    const task = await scene.seated();
    await scene.ok(act.beginExit('j0'));
    scene.pass(4_800);
    await scene.no('StakeLocked', act.withdrawStake('j0'));
    await scene.ok(act.settle(task));
    await scene.released('j0');
    await scene.ok(act.withdrawStake('j0'));
  });
});

describe('a withdraw key', () => {
  test('alone takes the stake and says where rewards go', async () => {
    const scene = await Scene.cast('cold', 7);
    await scene.judge('hot', { stake: 2n * SOL, cold: 'cold' });
    await scene.season();
    for (const name of ['cold', 'safe']) await scene.fund(name, SOL);
    const task = await scene.seated();
    await scene.round(task, all(scene.panel(task), ACCEPT));
    await scene.no('NotEnoughAccounts', act.claimReward('hot'));
    await scene.no('NotEnoughAccounts', act.claimReward('hot', { cold: 'cold', to: 'safe', signs: false }));
    await scene.no('WrongAddress', act.claimReward('hot', { to: 'safe' }));
    const { rewards } = await scene.entry('hot');
    const before = await scene.balance('cold');
    await scene.ok(act.claimReward('hot', { cold: 'cold' }));
    assert.equal(await scene.balance('cold') - before, rewards);
    await scene.no('NotAuthority', act.beginExit('hot'));
    await scene.no('NotAuthority', act.changeWithdraw('hot', 'hot'));
    await scene.no('NoWithdrawKey', act.changeWithdraw('hot', null, 'cold'));
    await scene.no('NotOnRoster', act.changeWithdraw('cold', 'cold'));
    await scene.ok(act.changeWithdraw('hot', 'safe', 'cold'));
    await scene.no('NotAuthority', act.beginExit('hot', 'cold'));
    await scene.ok(act.beginExit('hot', 'safe'));
    scene.pass(172_800);
    await scene.no('NotAuthority', act.withdrawStake('hot'));
    await scene.released('hot');
    const astray = await act.withdrawStake('hot', { cold: 'safe' });
    await scene.no('WrongOwner', { ...astray, accounts: { ...astray.accounts, wallet: (await act.agentAt('alice')).address } });
    const held = await scene.balance('cold');
    await scene.ok(act.withdrawStake('hot', { cold: 'safe', to: 'cold' }));
    assert.equal(await scene.balance('cold') - held, 2n * SOL);
  });
});

describe('claim_reward', () => {
  test('pays the judge, whoever asks, once', async () => {
    const scene = await Scene.cast('claim reward', 7);
    await scene.no('NothingToClaim', act.claimReward('j0'));
    await scene.no('NotOnRoster', act.claimReward('alice'));
    const task = await scene.seated();
    await scene.round(task, all(scene.panel(task), ACCEPT));
    const { rewards } = await scene.entry('j0');
    const before = await scene.balance('j0');
    await scene.ok(act.claimReward('j0'));
    assert.equal(await scene.balance('j0') - before, rewards);
    await scene.no('NothingToClaim', act.claimReward('j0'));
  });
});
