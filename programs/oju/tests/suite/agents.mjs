// Agents, the registry, vaults.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as act from '../lib/act.mjs';
import { MAX, NOBODY, NO_HASH } from '../lib/bytes.mjs';
import { Coin, TOKEN, TOKEN_2022 } from '../lib/coin.mjs';
import { digest } from '../lib/court.mjs';
import { Scene } from '../lib/scene.mjs';
import { SOL, wallet } from '../lib/world.mjs';

describe('agents', () => {
  test('are registered once, in the present page', async () => {
    const scene = await Scene.begin('register');
    for (const name of ['alice', 'bob']) await scene.fund(name, SOL);
    await scene.no('WrongPage', act.register('alice', 1));
    await scene.ok(act.register('alice', 0, { operator: 'olga', card_hash: NO_HASH }));
    await scene.ok(act.register('bob', 0));
    const again = scene.instruction(await act.register('alice', 0));
    assert.equal((await scene.dispatch('register_agent', [again])).failed, 'AlreadyExists');
    const page = scene.get((await act.pageAt(0)).address);
    assert.deepEqual(page.entries.map(({ authority }) => authority), [await act.key('alice'), await act.key('bob')]);
    assert.equal(page.entries[1].agent, (await act.agentAt('bob')).address);
  });

  test('change their operator and card', async () => {
    const scene = await Scene.cast('update agent');
    await scene.no('NotEnoughAccounts', act.updateAgent('alice', { operator: 'olga', signs: false }));
    const another = await act.updateAgent('alice', { operator: 'olga' });
    another.accounts.operator = await wallet('oscar');
    await scene.no('WrongAddress', another);
    await scene.ok(act.updateAgent('alice', { operator: 'olga' }));
    assert.equal((await scene.agentOf('alice')).operator, await act.key('olga'));
    await scene.ok(act.updateAgent('alice', { operator: 'olga', signs: false, card_hash: NO_HASH }));
    await scene.ok(act.updateAgent('alice'));
    assert.equal((await scene.agentOf('alice')).operator, NOBODY);
    await scene.no('NotEnoughAccounts', act.updateAgent('alice', { operator: 'olga', signs: false }));
    const action = await act.updateAgent('alice');
    action.accounts.agent = await act.agentAt('bob');
    await scene.no('NotAuthority', action);
  });

  test('fill a page of 128 and begin the next', async () => {
    const scene = await Scene.begin('pages');
    for (let i = 0; i < 130; i++) {
      await scene.fund(`a${i}`, SOL);
      if (i === 128) await scene.no('WrongPage', act.register(`a${i}`, 0));
      await scene.ok(act.register(`a${i}`, Math.floor(i / 128)));
    }
    assert.equal(scene.get((await act.pageAt(0)).address).count, 128);
    assert.equal(scene.get((await act.pageAt(1)).address).count, 2);
    assert.equal((await scene.agentOf('a129')).page, 1);
  });

  test('a page or agent that was prefunded is made all the same', async () => {
    const scene = await Scene.begin('prefunded agent');
    await scene.fund('alice', SOL);
    scene.give((await act.agentAt('alice')).address, 12_345n);
    scene.give((await act.pageAt(0)).address, 2n * SOL);
    scene.strays.set((await act.pageAt(0)).address, 2n * SOL - scene.rent(88));
    await scene.ok(act.register('alice', 0));
    await scene.ok(act.deposit('alice', 7n));
    assert.equal(await scene.vault('alice'), 7n);
  });
});

describe('vaults', () => {
  test('anyone deposits, the agent alone withdraws', async () => {
    const scene = await Scene.cast('vault');
    await scene.fund('dora', 5n * SOL);
    await scene.ok(act.deposit('alice', 2n * SOL, 'dora'));
    await scene.no('ZeroAmount', act.deposit('alice', 0n));
    await scene.no('ZeroAmount', act.withdraw('alice', 0n));
    await scene.no('NotEnoughInVault', act.withdraw('alice', 102n * SOL + 1n));
    const theft = await act.withdraw('bob', SOL);
    theft.accounts.agent = await act.agentAt('alice');
    await scene.no('NotAuthority', theft);
    await scene.ok(act.withdraw('alice', 102n * SOL));
    assert.equal(await scene.vault('alice'), 0n);
  });

  for (const program of [TOKEN, TOKEN_2022]) {
    test(`tokens go to the agent's own wallet, ${program.slice(0, 6)}`, async () => {
      const scene = await Scene.cast(`tokens ${program}`);
      const coin = new Coin(scene, 'usd', program);
      for (const name of ['alice', 'bob']) await coin.cast(name);
      await scene.ok(coin.withdraw('alice', 400n));
      assert.deepEqual([coin.held(coin.vault('alice')), coin.held(coin.wallet('alice'))], [600n, 1_400n]);
      await scene.no('ZeroAmount', coin.withdraw('alice', 0n));
      for (const theft of [{ agent: await act.agentAt('bob') }, { destination: coin.wallet('bob') }, { destination: coin.vault('bob') }]) {
        const action = await coin.withdraw('alice', 1n);
        Object.assign(action.accounts, theft);
        await scene.no('NotAuthority', action);
      }
      for (const [role, at] of [['token_program', program === TOKEN ? TOKEN_2022 : TOKEN], ['mint', coin.program], ['destination', await act.key('alice')]]) {
        const action = await coin.withdraw('alice', 1n);
        action.accounts[role] = at;
        await scene.no('WrongOwner', action);
      }
      const refused = async (code, change) => {
        const action = await coin.withdraw('alice', 601n);
        Object.assign(action.accounts, change);
        const { ok, code: said } = await scene.send([scene.instruction(action)]);
        assert.deepEqual([ok, said], [false, code]);
      };
      await refused(1, {});
      await refused(4, { source: coin.vault('bob') });
      coin.give(coin.vault('alice'), (await act.agentAt('alice')).address, 1_000n, 2);
      await refused(17, {});
    });
  }

  test('tokens beside a reward go where the escrow goes', async () => {
    const scene = await Scene.cast('pledge');
    const coin = new Coin(scene, 'usd', TOKEN);
    for (const name of ['alice', 'bob', 'carol']) await coin.cast(name);
    const task = await scene.created({ on_undecided: 3 });
    await scene.no('ZeroAmount', coin.pledge(task, 0n));
    await scene.ok(coin.pledge(task, 501n));
    await scene.no('AlreadyExists', coin.pledge(task, 1n));
    await scene.claim(task, 'bob');
    await scene.no('WrongStatus', coin.pay(task, 'bob'));
    for (const step of [act.start, act.submit, act.object, act.counter]) await scene.ok(step(task));
    scene.pass(1_800);
    await scene.ok(act.expireCase(task));
    await scene.no('WrongAddress', coin.pay(task, 'carol'));
    scene.pass(86_400);
    await scene.no('AlreadyExists', act.closeTask(task));
    await scene.ok(coin.pay(task, 'bob'));
    await scene.no('NothingToClaim', coin.pay(task, 'bob'));
    await scene.ok(coin.pay(task, 'alice'));
    assert.deepEqual([coin.held(coin.vault('bob')), coin.held(coin.vault('alice'))], [1_250n, 750n]);
    await scene.ok(act.closeTask(task));
    const late = await scene.claimed();
    await scene.no('WrongStatus', coin.pledge(late, 1n));
    const bad = new Coin(scene, 'no mint', TOKEN);
    await bad.cast('alice');
    bad.put(bad.mint, new Uint8Array(82));
    const refused = scene.instruction(await bad.pledge(await scene.created(), 1n));
    assert.equal((await scene.dispatch('pledge_tokens', [refused])).failed, 'BadMint');
  });

  test('a sum that does not fit is refused', async () => {
    const scene = await Scene.cast('vault overflow');
    await scene.no('Overflow', act.deposit('alice', MAX));
  });

  test('a deposit that the wallet does not have fails in the System program', async () => {
    const scene = await Scene.cast('poor deposit');
    const instruction = scene.instruction(await act.deposit('alice', 1_000n * SOL));
    const result = await scene.send([instruction]);
    assert.deepEqual([result.ok, result.code], [false, 1]);
  });

  test('lamports sent from outside are not the agent\'s', async () => {
    const scene = await Scene.cast('stray');
    const { address } = await act.agentAt('alice');
    const account = scene.raw(address);
    scene.set({ ...account, lamports: account.lamports + 3n * SOL });
    scene.strays.set(address, 3n * SOL);
    await scene.no('NotEnoughInVault', act.withdraw('alice', 100n * SOL + 1n));
    await scene.ok(act.withdraw('alice', 100n * SOL));
    assert.equal(await scene.vault('alice'), 0n);
  });

  test('operators may be nobody', async () => {
    const scene = await Scene.cast('no operator');
    assert.equal((await scene.agentOf('alice')).operator, NOBODY);
    assert.equal((await scene.agentOf('alice')).card_hash, digest('card alice'));
  });
});
