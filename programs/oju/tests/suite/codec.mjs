// This client's encodings are those of the golden vectors, so the suite tests the program with the
// protocol's own bytes.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { AccountRole } from '@solana/kit';
import { KIND_NAMES, decode, encode } from '../lib/account.mjs';
import { hex, unhex } from '../lib/bytes.mjs';
import { CALL_NAMES, call, data, roles } from '../lib/call.mjs';
import { EVENT_NAMES, decodeEvent } from '../lib/event.mjs';

const load = (name) => JSON.parse(readFileSync(new URL(`../../vectors/${name}.json`, import.meta.url)));

/** A vector's value in this client's form. */
function value({ type, value: text }) {
  if (type === 'u64' || type === 'i64') return BigInt(text);
  if (type.startsWith('u')) return Number(text);
  if (type === 'string') return Buffer.from(text);
  if (type === 'bytes') return unhex(text);
  return text;
}

/** The value at a path such as `panel[3].judge`. */
const at = (object, path) => path.split(/[.[\]]+/).filter(Boolean).reduce((found, step) => found?.[step], object);

describe('codec', () => {
  test('accounts are those of the vectors', () => {
    const seen = new Set();
    for (const vector of load('accounts')) {
      const account = decode(unhex(vector.data));
      seen.add(account.kind);
      assert.equal(account.kind, vector.account);
      for (const field of vector.fields.filter(({ name }) => name !== 'version')) {
        assert.deepEqual(at(account, field.name), value(field), `${vector.name}.${field.name}`);
      }
      assert.equal(hex(encode(account)), vector.data, vector.name);
    }
    assert.deepEqual([...seen].sort(), [...KIND_NAMES].sort());
  });

  test('events are those of the vectors', () => {
    const seen = new Set();
    for (const vector of load('events')) {
      const event = decodeEvent(unhex(vector.data));
      seen.add(event.event);
      for (const field of vector.fields) {
        const found = at(event, field.name);
        assert.deepEqual(found?.index ?? found, value(field), `${vector.name}.${field.name}`);
      }
    }
    assert.deepEqual([...seen].sort(), [...EVENT_NAMES].sort());
  });

  test('instructions are those of the vectors', () => {
    const seen = new Set();
    for (const vector of load('instructions')) {
      const name = vector.instruction;
      seen.add(name);
      const args = Object.fromEntries(vector.args.map((arg) => [arg.name.replace('params.', ''), value(arg)]));
      assert.equal(hex(data(name, args)), vector.data, vector.name);
      const accounts = Object.fromEntries(roles(name).map(({ account }) => [account, null]));
      for (const account of vector.accounts) accounts[account.name] = { address: account.address };
      const metas = call('AJPJEXnetrgNdTGtnNLACqQDbkpdNbYWP9rfYwVY1PTw', name, args, accounts).accounts;
      const expected = vector.accounts.map((account) => [account.address, account.signer, account.writable]);
      const signs = [AccountRole.READONLY_SIGNER, AccountRole.WRITABLE_SIGNER];
      const writes = [AccountRole.WRITABLE, AccountRole.WRITABLE_SIGNER];
      const found = metas.map(({ address, role }) => [address, signs.includes(role), writes.includes(role)]);
      assert.deepEqual(found, expected, vector.name);
    }
    assert.deepEqual([...seen], CALL_NAMES);
  });
});
