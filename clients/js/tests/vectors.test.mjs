// Plays clients/vectors.json: each frame is sent byte for byte, and heard as the file says.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import { AnexError, Session, canonical, cut, loads, parse } from '../index.mjs';

const doc = JSON.parse(readFileSync(new URL('../../vectors.json', import.meta.url), 'utf8'));
const at = Date.parse(doc.at);

async function said(session, frame, name) {
  try {
    if (!frame.startsWith('{')) return (await session.write(at, frame)).send;
    const m = parse(frame);
    if (m.sender !== name) return null;
    return (await session.say(at, m.performative, m.protocol, m.content, m)).send;
  } catch (e) {
    if (!(e instanceof AnexError)) throw e;
    return [];
  }
}

assert.ok(doc.scenes.length > 20);
for (const scene of doc.scenes) {
  test(scene.name, async () => {
    const both = [0, 1].map((i) => new Session(doc.parties[i], doc.parties[1 - i], { conversation: i === 0 ? scene.conversation : '', first: i === 0, at }));
    let end = '';
    for (const step of scene.steps) {
      const sent = await said(both[step.by], step.frame, doc.parties[step.by]);
      const bad = Boolean(step.breaks || step.unclear);
      if (sent) assert.equal(sent.length === 1 && (step.respelled || sent[0] === step.frame), !bad, `${step.frame}\nis sent as ${sent}`);
      const done = await both[1 - step.by].frame(at, step.frame);
      assert.deepEqual(done.heard.map((h) => h.what), step.heard ? [step.heard] : [], step.frame);
      assert.equal(Boolean(done.ended?.theirs), Boolean(step.breaks), JSON.stringify(done.ended));
      if (done.ended) end = done.ended.how;
    }
    assert.equal(end, scene.end);
  });
}

test('strict JSON', () => {
  for (const bad of ['{"a":1,"a":2}', '"\\ud800"', 'NaN', '['.repeat(65) + ']'.repeat(65), '['.repeat(100000), '{', '{"a":1}x', '01', '1e999', '"\n"', '[1,]', '"\\x"']) {
    assert.throws(() => loads(bad), AnexError, bad.slice(0, 40));
  }
  assert.deepEqual(Object.keys(loads('{"__proto__":1,"constructor":2}')), ['__proto__', 'constructor']);
});

test('canonical JSON', () => {
  assert.equal(canonical(loads('{"b":1,"a":[true,null,"\\u20ac\\u0007"]}')), '{"a":[true,null,"€\\u0007"],"b":1}');
  assert.equal(canonical(loads('[1.0,1e21,1e-7,0.000001,-0.0,123456789.5,1.5e300,5e-324,0.1,100.0]')), '[1,1e+21,1e-7,0.000001,0,123456789.5,1.5e+300,5e-324,0.1,100]');
  assert.throws(() => canonical(2 ** 53), AnexError);
});

test('cut', () => {
  const data = { a: { b: [{ c: 1, d: 2 }], e: 3 }, f: 4 };
  for (const [access, want] of [[['*'], data], [[], {}], [['f'], { f: 4 }], [['/a/b/c'], { a: { b: [{ c: 1 }] } }], [['/f/x'], {}]]) {
    assert.deepEqual(cut(data, access), want);
  }
});
