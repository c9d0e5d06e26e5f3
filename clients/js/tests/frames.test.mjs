// Plays agent/channel/testdata/frames.json, as Go and Python do.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import { AnexError } from '../index.mjs';
import { Bye, PeerSession, decode, decodeBody } from '../frame.mjs';

const all = JSON.parse(readFileSync(new URL('../../../agent/channel/testdata/frames.json', import.meta.url), 'utf8'));

for (const [name, read, least] of [['frames', decode, 25], ['messages', decodeBody, 20]]) {
  test(name, () => {
    assert.ok(all[name].length >= least);
    for (const { why, text, valid } of all[name]) {
      if (valid) assert.doesNotThrow(() => read(text), why);
      else assert.throws(() => read(text), AnexError, `${why}: ${text}`);
    }
  });
}

assert.ok(all.scenes.length >= 6);
for (const scene of all.scenes) {
  test(`session: ${scene.why}`, () => {
    const s = new PeerSession('ABCDEFGHIJKLMNOPQRSTUVWXYZ', scene.window);
    const does = { linked: () => s.linked(), unlinked: () => s.unlinked(), taken: () => s.take(), settled: () => s.settle(), posted: (b) => s.posted(b.body) };
    for (const [n, b] of scene.steps.entries()) {
      let out = { send: [], deliver: [] }, fault = '';
      try {
        out = b.event === 'heard' ? s.heard(decode(JSON.stringify(b.frame))) : { send: does[b.event](b), deliver: [] };
      } catch (e) {
        if (!(e instanceof Bye)) throw e;
        fault = e.code;
      }
      assert.deepEqual([out.send, out.deliver, fault], [b.send ?? [], 'deliver' in b ? [b.deliver] : [], b.fault ?? ''], `step ${n + 1}`);
    }
  });
}
