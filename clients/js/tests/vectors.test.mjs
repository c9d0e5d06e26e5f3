// Plays clients/vectors.json: each frame is sent byte for byte, and heard as the file says.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { test } from 'node:test';

import { AnexError, Key, Minutes, Session, canonical, cut, loads, parse, verify } from '../index.mjs';
import { pack, unpack } from '../cbor.mjs';
import { MAX_INFORM } from '../message.mjs';
import { did, ofAddress } from '../agreement.mjs';
import { placesOf, resolve } from '../names.mjs';

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

for (const scene of doc.meetings) {
  test(`meeting: ${scene.name}`, async () => {
    const keys = await Promise.all(scene.seeds.map((seed) => Key.create(new Uint8Array(32).fill(seed))));
    const everyone = keys.map(() => new Minutes(keys[0].did));
    for (const [n, s] of scene.steps.entries()) {
      const at = scene.at + n * 1000, said = await everyone[s.by].say(keys[s.by], s.performative, s.protocol, s.content, s['in-reply-to']);
      assert.equal(said, s.said);
      const { entry, heard } = await everyone[0].order(keys[0], keys[s.by].did, said, at);
      assert.equal(entry, s.entry);
      assert.equal(heard.what, s.heard);
      assert.equal(heard.agreed ? canonical(heard.agreed) : undefined, s.agreed);
      if (heard.agreed) await verify(heard.agreed);
      for (const [i, m] of everyone.entries()) if (i) await m.add(entry, at, keys[i].did);
    }
    for (const liar of scene.liars) {
      const m = new Minutes(keys[0].did);
      for (const s of scene.steps.slice(0, liar.after)) await m.add(s.entry, scene.at + 60_000);
      await assert.rejects(m.add(liar.entry, scene.at + 24 * 3600_000), AnexError, liar.what);
      assert.equal(m.hashes.length, liar.after);
    }
  });
}

test('frames in CBOR', () => {
  assert.ok(doc.cbor.length > 20);
  for (const one of doc.cbor) {
    const raw = one.cbor === undefined ? null : Buffer.from(one.cbor, 'hex'), label = JSON.stringify(one);
    if (one.json !== undefined) {
      const packed = pack(one.json, MAX_INFORM);
      assert.equal(packed && Buffer.from(packed).toString('hex'), one.cbor ?? null, label);
    }
    if (raw && one.json !== undefined) assert.equal(unpack(raw, MAX_INFORM), one.json, label);
    else if (raw) assert.throws(() => unpack(raw, MAX_INFORM), AnexError, label);
  }
  for (const { frame } of doc.scenes.flatMap((scene) => scene.steps)) {
    const raw = pack(frame, MAX_INFORM);
    if (raw) assert.equal(unpack(raw, MAX_INFORM), canonical(loads(frame)));
  }
  const head = [0xa1, 0x61, 0x61];
  for (const bad of [[...head, ...Array(64).fill(0x81), 0], [...head, ...Array(1e6).fill(0x81)], [...head, 0x9a, 0, 0x10, 0, 0, ...Array(1 << 20).fill(0)], Array(2 << 20).fill(0)]) {
    assert.throws(() => unpack(Uint8Array.from(bad), MAX_INFORM), AnexError);
  }
  unpack(Uint8Array.from([...head, ...Array(63).fill(0x81), 0]), MAX_INFORM);
});

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

// Where cards say that an agent is (ADR 0222), as Go finds it.
for (const scene of doc.names.scenes) {
  test(`names: ${scene.name}`, async () => {
    assert.deepEqual(await placesOf(scene.agents.map((n) => doc.names.agents[n]), doc.names.id, scene.root), scene.places);
  });
}

test('names over HTTP: by the id, by the key and by the address of the agent', async () => {
  const said = {}, { agents } = doc.names;
  const node = createServer((r, w) => w.writeHead(said[r.url] ? 200 : 404).end(JSON.stringify(said[r.url] ?? { error: 'this court has no such agent' })));
  await new Promise((done) => { node.listen(0, '127.0.0.1', done); });
  try {
    const court = `http://127.0.0.1:${node.address().port}`;
    for (const scene of doc.names.scenes) {
      said['/v1/agents?limit=100&q=%2Fcounter%22'] = { agents: scene.agents.map((n) => agents[n]), found: 7, waiting: 1 };
      const led = resolve('agent://counter/words', { subject: scene.root }, court);
      if (scene.chosen) assert.deepEqual(await led, { address: `${scene.chosen}/words`, agent: scene.places[0].agent });
      else await assert.rejects(led, /cards say|no card that was read|libp2p/);
    }
    const subject = doc.names.scenes[0].root, { worker } = agents, name = did(ofAddress(worker.authority));
    const byKey = `/v1/agents/${worker.authority}`;
    said[byKey] = worker;
    for (const at of [worker.authority, name.slice('did:key:'.length)]) {
      assert.deepEqual(await resolve(`agent://${at}/words`, { subject }, court), { address: `${worker.card.supportedInterfaces[0].url}/words`, agent: name });
    }
    assert.deepEqual(await resolve('agent://h.example:1/counter/words', { subject }, court), { address: 'agent://h.example:1/counter/words', agent: '' });
    for (const [at, root, answer, why] of [
      [worker.authority, '', worker, /give the chain/], [worker.authority, subject, agents.edited, /no card of/],
      [worker.authority, subject, agents['mallory copies'], /another agent/], ['Nobody', subject, worker, /no base58|no did:key/],
      [agents['no card'].authority, subject, worker, /refuses: this court has no such agent/],
    ]) {
      said[byKey] = answer;
      await assert.rejects(resolve(`agent://${at}/words`, { subject: root }, court), why);
    }
    said['/v1/agents?limit=100&q=%2Fcounter%22'] = { agents: Array(101).fill(worker), found: 101, waiting: 0 }; // checking costs time
    await assert.rejects(resolve('agent://counter/words', { subject }, court), /no list of agents/);
    for (const at of ['ftp://h.example', 'http://user@h.example', 'http://h.example/?x', 'http://h.example:99999', 'http://127.0.0.1:1']) {
      await assert.rejects(resolve('agent://counter/words', { subject }, at), /URL of the API|cannot be asked/);
    }
  } finally {
    node.closeAllConnections();
    node.close();
  }
});
