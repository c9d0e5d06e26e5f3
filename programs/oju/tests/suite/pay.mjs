// Payment for data: vouchers that the payee pulls.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as act from '../lib/act.mjs';
import { MAX } from '../lib/bytes.mjs';
import { ed25519 } from '../lib/call.mjs';
import { digest } from '../lib/court.mjs';
import { Scene } from '../lib/scene.mjs';
import { SOL, peer, purse } from '../lib/world.mjs';

const FOREVER = 2n ** 63n - 1n;

/** What was pulled from one to the other so far. */
const paid = async (scene, payer, payee) => scene.get((await act.channelAt(payer, payee)).address)?.paid;
const vaults = async (scene, ...names) => Promise.all(names.map((name) => scene.vault(name)));

describe('pull_payment', () => {
  test('pays what the voucher lacks, again and again, whoever asks', async () => {
    const scene = await Scene.cast('pull');
    await scene.fund('olga', SOL);
    const soon = scene.time + 60n;
    const { events } = await scene.ok(act.pull('alice', 'bob', 10n, soon));
    const [payer, payee] = [await act.key('alice'), await act.key('bob')];
    assert.deepEqual(events, [{ event: 'DataPaid', payer, payee, amount: 10n, paid: 10n }]);
    await scene.ok(act.pull('alice', 'bob', 25n, soon, { signer: 'olga' }));
    await scene.ok(act.pull('alice', 'bob', 26n, soon, { signer: 'alice' }));
    assert.equal(await paid(scene, 'alice', 'bob'), 26n);
    assert.deepEqual(await vaults(scene, 'alice', 'bob'), [100n * SOL - 26n, 100n * SOL + 26n]);
  });

  test('never pays a lamport twice: the same, a lower, and an older voucher are spent', async () => {
    const scene = await Scene.cast('pull replay');
    await scene.ok(act.pull('alice', 'bob', 10n, FOREVER));
    for (const cumulative of [10n, 9n, 0n]) await scene.no('VoucherSpent', act.pull('alice', 'bob', cumulative, FOREVER));
    await scene.ok(act.pull('alice', 'bob', 11n, FOREVER));
    await scene.no('VoucherSpent', act.pull('alice', 'bob', 10n, FOREVER));
    await scene.no('VoucherSpent', act.pull('alice', 'bob', 11n, FOREVER));
    assert.equal(await paid(scene, 'alice', 'bob'), 11n);
  });

  test('is a matter of the two: other payees and the way back have channels of their own', async () => {
    const scene = await Scene.cast('pull pairs');
    await scene.ok(act.pull('alice', 'bob', 10n, FOREVER));
    await scene.ok(act.pull('alice', 'carol', 10n, FOREVER));
    await scene.ok(act.pull('bob', 'alice', 11n, FOREVER));
    await scene.ok(act.pull('carol', 'bob', 12n, FOREVER));
    assert.deepEqual(await vaults(scene, 'alice', 'bob', 'carol'), [100n * SOL - 9n, 100n * SOL + 11n, 100n * SOL - 2n]);
    const instruction = scene.instruction(await act.pull('alice', 'bob', 20n, FOREVER));
    const before = (await act.pull('alice', 'bob', 20n, FOREVER)).before;
    for (const pair of [['alice', 'carol'], ['bob', 'alice'], ['carol', 'bob']]) {
      const { address } = await act.channelAt(...pair);
      const accounts = instruction.accounts.with(4, { ...instruction.accounts[4], address });
      assert.equal((await scene.dispatch('pull_payment', [before, { ...instruction, accounts }])).failed, 'WrongAddress', pair.join());
    }
  });

  test('ends to the second', async () => {
    const scene = await Scene.cast('pull expiry');
    const end = scene.time + 60n;
    scene.pass(59);
    await scene.ok(act.pull('alice', 'bob', 10n, end));
    scene.pass(1);
    await scene.no('VoucherExpired', act.pull('alice', 'bob', 20n, end));
    await scene.no('VoucherExpired', act.pull('alice', 'bob', 10n, end));
    for (const never of [0n, -1n, -(2n ** 63n)]) await scene.no('VoucherExpired', act.pull('alice', 'bob', 20n, never));
    await scene.ok(act.pull('alice', 'bob', 20n, end + 1n));
  });

  test('takes what the vault has, and the rest when there is more', async () => {
    const scene = await Scene.cast('pull partly');
    await scene.ok(act.withdraw('alice', 100n * SOL - 7n));
    await scene.ok(act.pull('alice', 'bob', 10n, FOREVER));
    assert.deepEqual([await paid(scene, 'alice', 'bob'), await scene.vault('alice')], [7n, 0n]);
    await scene.no('VaultEmpty', act.pull('alice', 'bob', 10n, FOREVER));
    await scene.no('VaultEmpty', act.pull('alice', 'carol', 10n, FOREVER));
    assert.equal(await paid(scene, 'alice', 'carol'), undefined, 'what is refused makes no channel');
    await scene.ok(act.deposit('alice', 5n));
    await scene.ok(act.pull('alice', 'bob', 10n, FOREVER));
    assert.deepEqual([await paid(scene, 'alice', 'bob'), await scene.vault('alice')], [10n, 2n]);
    await scene.no('VoucherSpent', act.pull('alice', 'bob', 10n, FOREVER));
    await scene.ok(act.pull('alice', 'bob', MAX, FOREVER));
    assert.deepEqual([await paid(scene, 'alice', 'bob'), await scene.vault('alice')], [12n, 0n]);
  });

  test('does not touch escrow, rent, or what outsiders sent', async () => {
    const scene = await Scene.cast('pull stray');
    await scene.created();
    const { address } = await act.agentAt('alice');
    const account = scene.raw(address);
    scene.set({ ...account, lamports: account.lamports + 3n * SOL });
    scene.strays.set(address, 3n * SOL);
    await scene.ok(act.pull('alice', 'bob', MAX, FOREVER));
    assert.equal(await paid(scene, 'alice', 'bob'), 99n * SOL);
  });

  test('goes on while the program is paused', async () => {
    const scene = await Scene.cast('pull paused');
    await scene.ok(scene.pause(1));
    await scene.ok(act.pull('alice', 'bob', 1n, FOREVER));
  });

  test('a channel that was prefunded is made all the same', async () => {
    const scene = await Scene.cast('pull prefunded');
    for (const [payee, lamports] of [['bob', 1n], ['carol', SOL]]) {
      const { address } = await act.channelAt('alice', payee);
      scene.give(address, lamports);
      if (lamports === SOL) scene.strays.set(address, SOL - scene.rent(88));
      await scene.ok(act.pull('alice', payee, 10n, FOREVER));
      await scene.no('VoucherSpent', act.pull('alice', payee, 10n, FOREVER));
    }
  });

  test('nobody pays himself', async () => {
    const scene = await Scene.cast('pull from oneself');
    await scene.no('DuplicateAccount', act.pull('alice', 'alice', 10n, FOREVER));
    await scene.ok(act.pull('alice', 'bob', 10n, FOREVER));
    await scene.no('DuplicateAccount', act.pull('alice', 'alice', 10n, FOREVER));
  });

  test('needs the payer\'s own signature of this deal, and nothing else', async () => {
    const scene = await Scene.cast('bad vouchers', 1);
    const say = (changes) => act.promise('alice', 'bob', 10n, FOREVER, changes);
    const good = await say();
    const more = Buffer.concat([good.message, Buffer.from([0])]);
    const proofs = {
      none: null,
      'no signature': ed25519([]),
      'two signatures': ed25519([good, good]),
      'the payee\'s key': ed25519([await say({ by: purse('bob') })]),
      'a stranger\'s key': ed25519([await say({ by: purse('carol') })]),
      'the payer\'s node key': ed25519([await say({ by: peer('alice') })]),
      'another network': ed25519([await say({ network: digest('testnet') })]),
      'another program': ed25519([await say({ program: await act.key('x') })]),
      'another payer': ed25519([await say({ from: 'carol' })]),
      'another payer, who signed': ed25519([await act.promise('carol', 'bob', 10n, FOREVER)]),
      'another payee': ed25519([await say({ to: 'carol' })]),
      'the way back': ed25519([await act.promise('bob', 'alice', 10n, FOREVER)]),
      'a longer message': ed25519([purse('alice').say(more)]),
      'a shorter message': ed25519([purse('alice').say(good.message.subarray(0, 153))]),
      'another tag': ed25519([purse('alice').say(Buffer.concat([Buffer.from('oju:pay:v2'), good.message.subarray(10)]))]),
      'not the Ed25519 program': scene.instruction(scene.idle()),
    };
    for (const [what, before] of Object.entries(proofs)) {
      const result = await scene.call(act.pull('alice', 'bob', 0n, 0n, { before }));
      assert.equal(result.failed, 'BadVoucher', what);
    }
    for (const at of [[0, 0xffff, 0xffff], [0xffff, 0, 0xffff], [0xffff, 0xffff, 0]]) {
      await scene.no('BadVoucher', act.pull('alice', 'bob', 0n, 0n, { before: ed25519([good], at) }));
    }
    await scene.ok(act.pull('alice', 'bob', 0n, 0n, { before: ed25519([good]) }));
  });

  test('reads the instruction just before it, and no other', async () => {
    const scene = await Scene.cast('pull places');
    const action = await act.pull('alice', 'bob', 10n, FOREVER);
    const [proof, pull] = [action.before, scene.instruction(action)];
    const refused = async (error, ...instructions) => {
      assert.equal((await scene.dispatch('pull_payment', instructions)).failed, error);
      assert.equal(await paid(scene, 'alice', 'bob'), undefined);
    };
    const other = scene.instruction(await act.deposit('carol', 1n));
    await refused('BadVoucher', pull);
    await refused('BadVoucher', pull, proof);
    await refused('BadVoucher', proof, other, pull);
    await refused('BadVoucher', proof, pull, pull);
    await refused('VoucherSpent', proof, pull, proof, pull);
    assert.ok((await scene.dispatch('pull_payment', [other, proof, pull])).ok);
  });

  test('several pulls stand in one transaction, each behind its voucher', async () => {
    const scene = await Scene.cast('pull batch');
    const one = await act.pull('alice', 'bob', 10n, FOREVER);
    const two = await act.pull('carol', 'bob', 20n, FOREVER);
    const all = [one.before, scene.instruction(one), two.before, scene.instruction(two)];
    assert.ok((await scene.dispatch('pull_payment', all)).ok);
    assert.deepEqual(await vaults(scene, 'alice', 'bob', 'carol'), [100n * SOL - 10n, 100n * SOL + 30n, 100n * SOL - 20n]);
  });

  test('a forged signature is the runtime\'s to refuse', async () => {
    const scene = await Scene.cast('pull forged');
    const said = await act.promise('alice', 'bob', 10n, FOREVER);
    const signature = Uint8Array.from(said.signature, (byte, i) => (i === 5 ? byte ^ 1 : byte));
    const action = await act.pull('alice', 'bob', 10n, FOREVER, { before: ed25519([{ ...said, signature }]) });
    const result = await scene.send([action.before, scene.instruction(action)]);
    assert.deepEqual([result.ok, result.code], [false, 2], 'the Ed25519 program\'s InvalidSignature');
    assert.equal(await paid(scene, 'alice', 'bob'), undefined);
  });

  test('a payee without an agent, and one whose account is another\'s, get nothing', async () => {
    const scene = await Scene.cast('pull strangers');
    await scene.fund('dora', SOL);
    const action = await act.pull('alice', 'dora', 10n, FOREVER);
    assert.equal((await scene.dispatch('pull_payment', [action.before, scene.instruction(action)])).failed, 'WrongOwner');
    const good = await act.pull('alice', 'bob', 10n, FOREVER);
    for (const [role, name, error] of [['payee_agent', 'carol', 'WrongAddress'], ['payer_agent', 'carol', 'WrongAddress']]) {
      const accounts = { ...good.accounts, [role]: await act.agentAt(name) };
      const swapped = scene.instruction({ ...good, accounts });
      assert.equal((await scene.dispatch('pull_payment', [good.before, swapped])).failed, error, role);
      const channel = role === 'payee_agent' ? await act.channelAt('alice', name) : await act.channelAt(name, 'bob');
      const moved = scene.instruction({ ...good, accounts: { ...accounts, channel } });
      assert.equal((await scene.dispatch('pull_payment', [good.before, moved])).failed, 'BadVoucher', role);
    }
    await scene.ok(good);
  });

  test('a wallet that cannot pay the channel\'s rent fails in the System program, and nothing has moved', async () => {
    const scene = await Scene.cast('pull poor');
    await scene.fund('poor', 1_000_000n);
    const action = await act.pull('alice', 'bob', 10n, FOREVER, { signer: 'poor' });
    const result = await scene.send([action.before, scene.instruction(action)]);
    assert.deepEqual([result.ok, result.code], [false, 1]);
    assert.deepEqual(await vaults(scene, 'alice', 'bob'), [100n * SOL, 100n * SOL]);
  });
});
