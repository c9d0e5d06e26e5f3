// The vectors of section 12, and messages that an asker must refuse.
import assert from 'node:assert/strict'
import { ed25519 } from '@noble/curves/ed25519.js'
import { cut } from './access.mjs'
import { canonical, parse, spell } from './json.mjs'
import { didOf } from './keys.mjs'
import { checkReceipt } from './receipt.mjs'
import { Breach, NotEnough, checkProposal, readProposal, termsHash } from './terms.mjs'

const call = { identity: 'unique-id', owner: 'Zoë "Z"\n', relation: '', request_type: 'posts', data_source: 'social', case: '7Yw', round: 2, judge: '4Kc',
  access: ['/a(m)', 'id', 'text'], promise: ['no data retention(m)'] }
const proposal = { access: ['text', '/a/ü', '/a/b', 'id'], promise: ['no data retention'], price: '1000' }
assert.equal(termsHash('AgentA', 'AgentB', call, proposal), '0cf102cf56d6f3e44da53091030aab84493a30b92adedcaa5481d1f9e048aa86')

const posts = { n: 2, posts: [{ id: 1, ip: 'x' }, 7, [{ id: 2 }], { ip: 'y' }] }
assert.deepEqual(cut(posts, ['/posts/id']), { posts: [{ id: 1 }, [{ id: 2 }], {}] })
assert.equal(cut(7, ['/posts/id']), null)
assert.deepEqual(cut(posts, ['*']), posts)

const propose = (access, promise, price) => checkProposal(call, readProposal({ response: { access, promise, ...(price && { price }) } }))
propose(['/a', 'id'], ['no data retention'])
assert.throws(() => propose(['/a', '*'], ['no data retention']), Breach)
assert.throws(() => propose(['/a'], ['no data retention', 'secrecy']), Breach)
assert.throws(() => propose(['/a/b'], ['no data retention']), NotEnough) // narrower than the mandatory one
assert.throws(() => propose(['/a'], []), NotEnough)
for (const bad of [['id', '/id'], [7], [''], [' id'], ['/~2']]) assert.throws(() => propose(bad, []), /twice|name|string|pointer/)
assert.throws(() => propose(['/a'], ['no data retention'], '01'), /lamports/)

assert.equal(spell({ a: [1, {}], b: [] }), '{ "a": [1, {}], "b": [] }')
const same = '{"a":{"a":1},"b":[{"a":":"},"x"]}'
assert.deepEqual(parse(Buffer.from(same)), JSON.parse(same))
for (const bad of ['{"a":1,"a":2}', '{"a":1,"\\u0061":2}', '"\\ud800"', '{} x', '[1e999]', `${'['.repeat(65)}${']'.repeat(65)}`, '']) {
  assert.throws(() => parse(Buffer.from(bad)), undefined, bad)
}
assert.throws(() => parse(Uint8Array.of(0x22, 0xff, 0x22)))

const seed = new Uint8Array(32).fill(7)
const key = ed25519.getPublicKey(seed)
const sign = (fields, by = seed) => {
  const message = Buffer.concat([Buffer.from('oju:receipt:v1'), canonical(fields)])
  return { ...fields, signature: Buffer.from(ed25519.sign(message, by)).toString('base64') }
}
const expected = { network: '00', program: 'P', case: 'C', round: 1, judge: 'J', asker: 'A', holder: didOf(key), source: 's', access: [],
  request: 'q', response: 'r', terms: 't', price: '0' }
const fields = { ...expected, fetched_at: 1, at: 2 }
assert.match(checkReceipt(sign(fields), expected, key), /^[0-9a-f]{64}$/)
for (const name of Object.keys(expected)) assert.throws(() => checkReceipt(sign({ ...fields, [name]: 'other' }), expected, key), new RegExp(name))
assert.throws(() => checkReceipt({ ...sign(fields), at: 3 }, expected, key), /signature/)
assert.throws(() => checkReceipt(sign(fields, seed.fill(8)), expected, key), /signature/)
const zero = { ...fields, signature: Buffer.from([1, ...new Uint8Array(63)]).toString('base64') } // a loose check accepts it for a key of small order
assert.throws(() => checkReceipt(zero, expected, Uint8Array.of(1, ...new Uint8Array(31))), /signature/)
console.log('the vectors hold')
