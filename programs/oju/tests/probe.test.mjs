// The building blocks of the program on Agave's runtime, against what a client computes.

import assert from 'node:assert/strict';
import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { before, describe, test } from 'node:test';
import { SlotHash } from 'litesvm';
import {
  ED25519, INSTRUCTIONS, SYSTEM, World, address, bytes, number, readonly, signer, u16, u32, u64, writable,
} from './world.mjs';

const GROWTH = 192;
const HEAD = 32;
const MAX = 2n ** 64n - 1n;

let world;
before(async () => { world = await World.open(); });

const sha256 = (...parts) => parts.reduce((hash, part) => hash.update(part), createHash('sha256')).digest();
const hex = (data) => Buffer.from(data).toString('hex');

/** Sends and expects success. */
async function pass(name, args, accounts) {
  const result = await world.call(name, args, accounts);
  assert.ok(result.ok, `${name}: ${result.code ?? result.error}\n${result.logs.join('\n')}`);
  return result;
}

/** Sends and expects the program's error. */
async function refuse(code, name, args, accounts) {
  const result = await world.call(name, args, accounts);
  assert.equal(result.code, code, `${name}: ${result.error ?? result.code}\n${result.logs.join('\n')}`);
}

describe('dispatch', () => {
  test('an unknown or short instruction is refused', async () => {
    await refuse(6000, 'nothing_');
    const short = await world.send([{ programAddress: world.program, data: bytes('noop___'), accounts: [] }]);
    assert.equal(short.code, 6000);
  });

  test('errors are custom codes from 6000 on', async () => {
    const choices = [[0, 6000], [1, 6012], [2, 6019], [3, 6001]];
    for (const [choice, code] of choices) await refuse(code, 'fail____', [choice]);
  });
});

describe('language', () => {
  test('a panic names its place and changes nothing', async () => {
    const ways = [
      [0, MAX, 0n, 1n], [1, 0n, 1n, 0n], [2, 3n, 2n, 30n], [3, 0n, 7n, 14n], [4, 0xffff_ffffn, 1n, 2n],
    ];
    for (const [way, bad, good, answer] of ways) {
      assert.equal(number((await pass('panic___', bytes([way], u64(good)))).data), answer);
      const result = await world.call('panic___', bytes([way], u64(bad)));
      assert.ok(!result.ok && result.code === undefined);
      assert.match(result.logs.at(-1), /SBF program Panicked in src\/\.\.\/probe\/language\.rs at \d+:\d+$/);
    }
  });

  test('functions in a table are called', async () => {
    const x = 0x0102_0304_0506_07ffn;
    for (const [row, answer] of [[0, x + 1n], [1, x ^ 255n], [2, 0xff07_0605_0403_0201n], [3, x >> 3n]]) {
      assert.equal(number((await pass('table___', bytes([row], u64(x)))).data), answer);
    }
    await refuse(6001, 'table___', bytes([4], u64(x)));
  });

  test('six arguments arrive', async () => {
    const six = [MAX, 1n << 63n, 3n, 0x1234_5678_9abc_def0n, 5n, MAX - 77n];
    const rotate = (x, n) => ((x << BigInt(n)) | (x >> BigInt(64 - n))) & MAX;
    const answer = six.reduce((sum, x, i) => sum ^ rotate(x, i), 0n);
    assert.equal(number((await pass('sixargs_', bytes(...six.map(u64)))).data), answer);
  });

  test('no reference into read-only data is taken for none', async () => {
    const { data } = await pass('nullref_');
    assert.equal(data.length, 32);
  });

  test('numbers at any address are read', async () => {
    for (let skipped = 0; skipped < 16; skipped++) {
      const args = bytes([skipped], new Uint8Array(skipped), u64(0x8877_6655_4433_2211n), u32(0xffee_ddccn));
      assert.equal(hex((await pass('unalign_', args)).data), '1122334455667788ccddeeff');
    }
  });

  test('memory is copied, compared, moved and filled', async () => {
    for (const length of [5, 7, 8, 64, 255, 351, 600, 700]) {
      const data = Buffer.from(Array.from({ length }, (_, i) => (i * 31 + length) & 255));
      const copy = Buffer.alloc(700, 0xaa);
      data.copy(copy);
      copy.copyWithin(700 - length, 0, length);
      copy.fill(0x55, 0, 5);
      const { data: hash } = await pass('memory__', data);
      assert.equal(hex(hash), sha256(bytes([1]), copy).toString('hex'), `${length} bytes`);
    }
  });

  test('stack frames do not overlap', async () => {
    for (const depth of [0n, 1n, 7n, 20n]) {
      assert.equal(number((await pass('frames__', u64(depth))).data), 440n * depth * (depth + 1n) / 2n);
    }
  });
});

describe('compute', () => {
  const oracle = (a, b, c) => (c === 0n || a * b / c > MAX ? undefined : a * b / c);
  const above = (a, b, c) => (c === 0n || (a * b + c - 1n) / c > MAX ? undefined : (a * b + c - 1n) / c);

  async function agree(a, b, c) {
    const result = await world.call('muldiv__', bytes(u64(a), u64(b), u64(c)));
    const [down, up] = [oracle(a, b, c), above(a, b, c)];
    if (up === undefined) return assert.equal(result.code, 6012, `${a} * ${b} / ${c}`);
    assert.deepEqual([number(result.data), number(result.data, 8)], [down, up], `${a} * ${b} / ${c}`);
  }

  test('mul_div agrees with big integers at the edges', async () => {
    const edges = [0n, 1n, 10_000n, (1n << 32n) - 1n, 1n << 32n, 1n << 63n, MAX - 1n, MAX];
    for (const a of edges) for (const b of edges) for (const c of edges) await agree(a, b, c);
  });

  test('mul_div agrees with big integers at random', async () => {
    let state = 1n;
    const bits = () => {
      state = (state * 6364136223846793005n + 1442695040888963407n) & MAX;
      return number(sha256(u64(state)));
    };
    const random = () => bits() >> (bits() % 64n);
    for (let i = 0; i < 1500; i++) await agree(random(), random(), random());
  });

  test('sha256 is that of the client', async () => {
    for (const length of [0, 1, 55, 64, 300]) {
      const data = Buffer.alloc(length, length);
      assert.equal(hex((await pass('sha256__', data)).data), sha256('oju:probe:v1', data).toString('hex'));
    }
  });
});

describe('runtime', () => {
  test('text and events are logged', async () => {
    assert.ok((await pass('log_____', Buffer.from('a text'))).logs.includes('Program log: a text'));
    const fields = [Buffer.from('oju:prob'), Buffer.from([1, 2, 255])].map((field) => field.toString('base64'));
    assert.ok((await pass('emit____', [1, 2, 255])).logs.includes(`Program data: ${fields.join(' ')}`));
  });

  test('clock is the chain\'s', async () => {
    const clock = world.svm.getClock();
    [clock.slot, clock.unixTimestamp] = [123_456n, 1_795_000_000n];
    world.svm.setClock(clock);
    const { data } = await pass('clock___');
    assert.deepEqual([number(data), number(data, 8)], [123_456n, 1_795_000_000n]);
    clock.unixTimestamp = -1n;
    world.svm.setClock(clock);
    await refuse(6014, 'clock___');
    clock.unixTimestamp = 0n;
    world.svm.setClock(clock);
  });

  test('rent is the chain\'s', async () => {
    for (const space of [0, 1, 256, 10_240]) {
      const expected = world.svm.minimumBalanceForRentExemption(BigInt(space));
      assert.equal(number((await pass('rent____', u32(space))).data), expected);
    }
  });

  test('the slot hash of a slot is found, and then expires', async () => {
    const hash = (slot) => address(sha256(u64(slot)));
    const slots = Array.from({ length: 512 }, (_, i) => 9_000n - BigInt(i) * 2n);
    world.svm.setSlotHashes(slots.map((slot) => ({ slot, hash: hash(slot) })));
    assert.equal(world.svm.getSlotHashes().length, 512);
    for (const slot of [9_000n, 8_999n, 8_501n, 7_979n, 7_978n]) {
      const { data } = await pass('slothash', u64(slot));
      const block = slot + (slot % 2n);
      assert.deepEqual([number(data), hex(data.slice(8))], [block, sha256(u64(block)).toString('hex')]);
    }
    await refuse(6015, 'slothash', u64(9_001));
    await refuse(6016, 'slothash', u64(7_977));
  });

  test('addresses are found and checked', async () => {
    for (let id = 0; id < 8; id++) {
      const pda = await world.pda('counter', u64(id));
      const { data } = await pass('findpda_', u64(id));
      assert.deepEqual([address(data.slice(0, 32)), data[32]], [pda.address, pda.bump]);
      await pass('checkpda', bytes([pda.bump], u64(id)), [readonly(pda.address)]);
      await refuse(6006, 'checkpda', bytes([pda.bump - 1], u64(id)), [readonly(pda.address)]);
      await refuse(6006, 'checkpda', bytes([pda.bump], u64(id + 1)), [readonly(pda.address)]);
    }
    await refuse(6002, 'checkpda', bytes([255], u64(1)));
  });

  test('a wallet\'s lamports are sent by the System program', async () => {
    const to = await world.wallet();
    const wallet = await world.wallet(5_000_000_000n);
    await pass('transfer', u64(2_000_000_000), [signer(wallet), writable(to.address), readonly(SYSTEM)]);
    assert.equal(world.svm.getBalance(to.address), 2_000_000_000n);
    await refuse(6003, 'transfer', u64(1), [writable(wallet.address), writable(to.address), readonly(SYSTEM)]);
  });
});

describe('ed25519', () => {
  /** An instruction of the Ed25519 program that checks one message a key. `at` replaces an index. */
  function check(messages, at = 0xffff) {
    const entries = [];
    const texts = [];
    let offset = 2 + 14 * messages.length;
    for (const text of messages) {
      const { publicKey, privateKey } = generateKeyPairSync('ed25519');
      const key = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32);
      const fields = [offset + 32, at, offset, at, offset + 96, text.length, at];
      entries.push(...fields.map(u16));
      texts.push(key, sign(null, text, privateKey), text);
      offset += 96 + text.length;
    }
    const data = bytes([messages.length, 0], ...entries, ...texts);
    return { programAddress: ED25519, data, accounts: [] };
  }

  const ask = (index, i) => world.instruction('ed25519_', [index, i], [readonly(INSTRUCTIONS)]);

  test('verified keys and messages are read', async () => {
    const messages = [Buffer.from('vote yes'), Buffer.from('vote no, the other way')];
    const proof = check(messages);
    for (const i of [0, 1]) {
      const result = await world.send([proof, ask(0, i)]);
      assert.ok(result.ok, result.logs.join('\n'));
      const start = number(proof.data, 2 + 14 * i + 4, 2);
      assert.equal(hex(result.data.slice(0, 32)), hex(proof.data.slice(Number(start), Number(start) + 32)));
      assert.equal(hex(result.data.slice(32)), hex(messages[i]));
    }
    assert.equal((await world.send([proof, ask(0, 2)])).code, 6018);
  });

  test('what is no self-contained Ed25519 instruction is refused', async () => {
    const proof = check([Buffer.from('vote yes')]);
    assert.equal((await world.send([proof, ask(1, 0)])).code, 6017);
    assert.equal((await world.send([proof, ask(9, 0)])).code, 6017);
    assert.equal((await world.send([check([Buffer.from('vote yes')], 0), ask(0, 0)])).code, 6018);
    const forged = world.instruction('ed25519_', [0, 0], [readonly(world.payer.address)]);
    assert.equal((await world.send([proof, forged])).code, 6014);
  });

  test('a wrong signature never gets here', async () => {
    const proof = check([Buffer.from('vote yes')]);
    proof.data[proof.data.length - 1] ^= 1;
    const result = await world.send([proof, ask(0, 0)]);
    assert.ok(!result.ok && result.code !== 6018);
  });
});

describe('accounts', () => {
  let next = 1000;

  /** Makes a counter with room for `seats`. */
  async function made(seats) {
    const id = next++;
    const pda = await world.pda('counter', u64(id));
    const accounts = [signer(world.payer), writable(pda.address), readonly(SYSTEM)];
    await pass('create__', bytes(u64(id), [seats]), accounts);
    return { ...pda, id, accounts };
  }

  test('a record is made, rent-exempt, once', async () => {
    const { address: at, bump, id, accounts } = await made(3);
    const { data, lamports, programAddress } = world.account(at);
    assert.equal(programAddress, world.program);
    assert.equal(data.length, HEAD + 3 * GROWTH);
    assert.equal(lamports, world.svm.minimumBalanceForRentExemption(BigInt(data.length)));
    assert.equal(hex(data.slice(0, 32)), hex(bytes('probectr', u64(0), u64(id), [bump], new Uint8Array(7))));
    await refuse(6011, 'create__', bytes(u64(id), [3]), accounts);
  });

  test('lamports sent beforehand do not hinder it', async () => {
    for (const before of [890_880n, 100_000_000n]) {
      const id = next++;
      const { address: at } = await world.pda('counter', u64(id));
      const gift = await world.wallet(1_000_000_000n);
      await pass('transfer', u64(before), [signer(gift), writable(at), readonly(SYSTEM)]);
      await pass('create__', bytes(u64(id), [2]), [signer(world.payer), writable(at), readonly(SYSTEM)]);
      const { data, lamports, programAddress } = world.account(at);
      assert.equal(programAddress, world.program);
      assert.equal(data.length, HEAD + 2 * GROWTH);
      const minimum = world.svm.minimumBalanceForRentExemption(BigInt(data.length));
      assert.equal(lamports, before > minimum ? before : minimum);
    }
  });

  test('another address, no signature or no room to write is refused', async () => {
    const [one, two] = [next++, next++];
    const { address: at } = await world.pda('counter', u64(one));
    const args = bytes(u64(two), [1]);
    await refuse(6006, 'create__', args, [signer(world.payer), writable(at), readonly(SYSTEM)]);
    const right = (await world.pda('counter', u64(two))).address;
    const poor = await world.wallet(1_000_000n);
    await refuse(6003, 'create__', args, [writable(poor.address), writable(right), readonly(SYSTEM)]);
    await refuse(6004, 'create__', args, [signer(world.payer), readonly(right), readonly(SYSTEM)]);
  });

  test('64 seats are changed and summed in place', async () => {
    const { address: at } = await made(50);
    await pass('grow____', [], [signer(world.payer), writable(at), readonly(SYSTEM)]);
    for (let i = 0; i < 13; i++) await pass('grow____', [], [signer(world.payer), writable(at), readonly(SYSTEM)]);
    assert.equal(world.account(at).data.length, HEAD + 64 * GROWTH);
    let sum = 0n;
    for (let seat = 0; seat < 64; seat++) {
      const stake = BigInt(seat) * 1_000_000_007n + 1n;
      await pass('deposit_', bytes([seat], u64(stake)), [writable(at)]);
      sum += stake;
    }
    assert.equal(number((await pass('total___', [], [readonly(at)])).data), sum);
    await refuse(6001, 'deposit_', bytes([64], u64(1)), [writable(at)]);
    await refuse(6012, 'deposit_', bytes([0], u64(MAX)), [writable(at)]);
    await refuse(6004, 'deposit_', bytes([0], u64(1)), [readonly(at)]);
  });

  test('growth is 192 zero bytes and their rent', async () => {
    const { address: at } = await made(1);
    const before = world.account(at);
    await pass('grow____', [], [signer(world.payer), writable(at), readonly(SYSTEM)]);
    const after = world.account(at);
    assert.equal(hex(after.data), hex(bytes(before.data, new Uint8Array(GROWTH))));
    assert.equal(after.lamports, world.svm.minimumBalanceForRentExemption(BigInt(after.data.length)));
  });

  test('lamports move between accounts of the program', async () => {
    const [from, to] = [await made(1), await made(0)];
    const spare = 10_000_000n;
    await pass('transfer', u64(spare), [signer(world.payer), writable(from.address), readonly(SYSTEM)]);
    const before = [from, to].map(({ address: at }) => world.account(at).lamports);
    await pass('move____', u64(spare), [writable(from.address), writable(to.address)]);
    const after = [from, to].map(({ address: at }) => world.account(at).lamports);
    assert.deepEqual(after, [before[0] - spare, before[1] + spare]);
    await pass('move____', u64(5), [writable(to.address), writable(to.address)]);
    assert.equal(world.account(to.address).lamports, after[1]);
    await refuse(6013, 'move____', u64(MAX), [writable(from.address), writable(to.address)]);
    await refuse(6005, 'move____', u64(1), [writable(world.payer.address), writable(to.address)]);
  });

  test('a closed record is gone and can be made again', async () => {
    const { address: at, id, accounts } = await made(2);
    const wallet = await world.wallet();
    const { lamports } = world.account(at);
    await refuse(6009, 'close___', [], [writable(at), writable(at)]);
    await pass('close___', [], [writable(at), writable(wallet.address)]);
    assert.equal(world.account(at), null);
    assert.equal(world.svm.getBalance(wallet.address), lamports);
    await refuse(6005, 'close___', [], [writable(at), writable(wallet.address)]);
    await pass('create__', bytes(u64(id), [1]), accounts);
  });

  test('a stranger\'s account with our bytes is refused', async () => {
    const { address: at } = await made(1);
    const copy = await world.wallet();
    const original = world.account(at);
    world.svm.setAccount({ ...original, address: copy.address, programAddress: SYSTEM });
    await refuse(6005, 'deposit_', bytes([0], u64(1)), [writable(copy.address)]);
    world.svm.setAccount({ ...original, address: copy.address });
    await refuse(6006, 'total___', [], [readonly(copy.address)]);
    world.svm.setAccount({ ...original, address: copy.address, data: bytes('probeXtr', original.data.slice(8)) });
    await refuse(6007, 'deposit_', bytes([0], u64(1)), [writable(copy.address)]);
    world.svm.setAccount({ ...original, address: copy.address, data: original.data.slice(0, -1) });
    await refuse(6008, 'deposit_', bytes([0], u64(1)), [writable(copy.address)]);
  });

  test('an account passed twice is noticed', async () => {
    const [one, two] = [await made(0), await made(0)];
    await pass('distinct', [], [readonly(one.address), readonly(two.address)]);
    await refuse(6009, 'distinct', [], [readonly(one.address), readonly(two.address), writable(one.address)]);
  });
});
