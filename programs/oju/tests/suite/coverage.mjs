// What the suites have seen of the program.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CALL_NAMES, CODES } from '../lib/call.mjs';
import { noted } from '../lib/coverage.mjs';

/** Declares the tests; the caller does so after all others. */
export const coverage = () => describe('coverage', () => {
  test('every instruction was seen to succeed', (t) => {
    for (const name of CALL_NAMES) {
      const what = noted(name);
      t.diagnostic(`${name}: ${what.join(' ')}`);
      assert.ok(what.includes('ok'), `${name} never succeeded`);
      assert.ok(!what.includes('runtime'), `${name} failed without a code`);
    }
  });

  test('every error code was seen', (t) => {
    const found = new Set(CALL_NAMES.flatMap(noted));
    const codes = Object.entries(CODES).sort(([, one], [, two]) => one - two);
    for (const [name, code] of codes) {
      t.diagnostic(`${code} ${name}: ${CALL_NAMES.filter((call) => noted(call).includes(name)).join(' ') || 'never'}`);
    }
    assert.deepEqual(codes.filter(([name]) => !found.has(name)).map(([name]) => name), []);
    assert.deepEqual([codes.length, codes[0][1], codes.at(-1)[1]], [83, 6000, 6082]);
  });
});
