// What the compiler makes of the language and of the program's arithmetic, on Agave's runtime.

import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { MAX, bytes, hex, number, sha256, u32, u64 } from './lib/bytes.mjs';
import { Probe } from './lib/probe.mjs';

let world;
before(async () => { world = await Probe.open('probe'); });

/** Sends and expects success. */
async function pass(name, args) {
  const result = await world.call(name, args);
  assert.ok(result.ok, `${name}: ${result.code ?? result.error}\n${result.logs.join('\n')}`);
  return result;
}

/** Sends and expects the program's error. */
async function refuse(code, name, args) {
  const result = await world.call(name, args);
  assert.equal(result.code, code, `${name}: ${result.error ?? result.code}\n${result.logs.join('\n')}`);
}

describe('dispatch', () => {
  test('an unknown or short instruction is refused', async () => {
    await refuse(6000, 'nothing');
    for (const data of [new Uint8Array(), new Uint8Array(7)]) {
      const short = await world.send([{ programAddress: world.program, data, accounts: [] }]);
      assert.equal(short.code, 6000);
    }
  });

  test('errors are custom codes from 6000 on', async () => {
    for (const [choice, code] of [[0, 6000], [1, 6009], [2, 6056], [3, 6000]]) await refuse(code, 'fail', [choice]);
  });
});

describe('language', () => {
  test('a panic names its place and changes nothing', async () => {
    const ways = [
      [0, MAX, 0n, 1n], [1, 0n, 1n, 0n], [2, 3n, 2n, 30n], [3, 0n, 7n, 14n], [4, 0xffff_ffffn, 1n, 2n],
    ];
    for (const [way, bad, good, answer] of ways) {
      assert.equal(number((await pass('fault', bytes([way], u64(good)))).data), answer);
      const result = await world.call('fault', bytes([way], u64(bad)));
      assert.ok(!result.ok && result.code === undefined);
      assert.match(result.logs.at(-1), /SBF program Panicked in src\/\.\.\/probe\/language\.rs at \d+:\d+$/);
    }
  });

  test('functions in a table are called', async () => {
    const x = 0x0102_0304_0506_07ffn;
    for (const [row, answer] of [[0, x + 1n], [1, x ^ 255n], [2, 0xff07_0605_0403_0201n], [3, x >> 3n]]) {
      assert.equal(number((await pass('table', bytes([row], u64(x)))).data), answer);
    }
    await refuse(6000, 'table', bytes([4], u64(x)));
  });

  test('six arguments arrive', async () => {
    const six = [MAX, 1n << 63n, 3n, 0x1234_5678_9abc_def0n, 5n, MAX - 77n];
    const rotate = (x, n) => ((x << BigInt(n)) | (x >> BigInt(64 - n))) & MAX;
    const answer = six.reduce((sum, x, i) => sum ^ rotate(x, i), 0n);
    assert.equal(number((await pass('six_arguments', bytes(...six.map(u64)))).data), answer);
  });

  test('no reference into read-only data is taken for none', async () => {
    const { data } = await pass('references');
    assert.equal(data.length, 32);
  });

  test('numbers at any address are read', async () => {
    for (let skipped = 0; skipped < 16; skipped++) {
      const args = bytes([skipped], new Uint8Array(skipped), u64(0x8877_6655_4433_2211n), u32(0xffee_ddccn));
      assert.equal(hex((await pass('unaligned', args)).data), '1122334455667788ccddeeff');
    }
  });

  test('memory is copied, compared, moved and filled', async () => {
    for (const length of [5, 7, 8, 64, 255, 351, 600, 700]) {
      const data = Buffer.from(Array.from({ length }, (_, i) => (i * 31 + length) & 255));
      const copy = Buffer.alloc(700, 0xaa);
      data.copy(copy);
      copy.copyWithin(700 - length, 0, length);
      copy.fill(0x55, 0, 5);
      const { data: hash } = await pass('memory', data);
      assert.equal(hex(hash), hex(sha256(bytes([1]), copy)), `${length} bytes`);
    }
  });

  test('stack frames do not overlap', async () => {
    for (const depth of [0n, 1n, 7n, 20n]) {
      assert.equal(number((await pass('frames', u64(depth))).data), 440n * depth * (depth + 1n) / 2n);
    }
  });
});

describe('compute', () => {
  const oracle = (a, b, c) => (c === 0n || a * b / c > MAX ? undefined : a * b / c);

  async function agree(a, b, c) {
    const result = await world.call('mul_div', bytes(u64(a), u64(b), u64(c)));
    const answer = oracle(a, b, c);
    const found = result.ok ? number(result.data) : undefined;
    assert.equal(found, answer, `${a} * ${b} / ${c}`);
    if (answer === undefined) assert.equal(result.code, 6009);
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
      assert.equal(hex((await pass('sha256', data)).data), hex(sha256('oju:probe:v1', data)));
    }
  });
});
