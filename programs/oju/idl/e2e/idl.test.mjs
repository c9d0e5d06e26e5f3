// Anchor's own client reads programs/oju/idl/oju.json and must agree with the golden vectors.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import test from 'node:test'

const { BN, BorshCoder, EventParser, Program, web3 } = createRequire(import.meta.url)('@anchor-lang/core')

const read = (path) => JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'))
const idl = read('../oju.json')
const accounts = read('../../vectors/accounts.json')
const instructions = read('../../vectors/instructions.json')
const events = read('../../vectors/events.json')
const coder = new BorshCoder(idl)

// Anchor's output in the form of the vectors: { 'seats[3].weight': '7' }. It keeps the order of
// structs and lists.
function flatten(value, path = '', out = {}) {
  if (value instanceof web3.PublicKey) out[path] = value.toBase58()
  else if (BN.isBN(value)) out[path] = value.toString()
  else if (Buffer.isBuffer(value)) out[path] = value.toString('hex')
  else if (Array.isArray(value)) list(value, path, out)
  else if (typeof value === 'object') {
    for (const [name, field] of Object.entries(value)) {
      if (!name.startsWith('_pad_')) flatten(field, path ? `${path}.${name}` : name, out)
    }
  } else out[path] = String(value)
  return out
}

// Lists of bytes are hashes; a list of other numbers is the seats of Drawn.
function list(value, path, out) {
  if (typeof value[0] === 'number' && path.endsWith('seats')) value.forEach((n, i) => { out[`${path}[${i}].index`] = String(n) })
  else if (typeof value[0] === 'number') out[path] = Buffer.from(value).toString('hex')
  else value.forEach((item, i) => flatten(item, `${path}[${i}]`, out))
}

function agree(found, fields, trailing = []) {
  for (const { name, value } of fields) {
    if (!trailing.some((prefix) => name.startsWith(prefix))) assert.equal(found[name], value, name)
  }
}

// The lists behind accounts: how many items there is room for, and how many are in use.
const LISTS = {
  Roster: { name: 'entries', kind: 'RosterEntry', head: 1_352, size: 224, room: 'count', count: 'count' },
  RegistryPage: { name: 'entries', kind: 'RegistryEntry', head: 24, size: 64, room: 'count', count: 'count' },
  Case: { name: 'panel', kind: 'Seat', head: 360, size: 96, room: 'panel_seats', count: 'seats' },
}

for (const v of accounts) {
  test(`account ${v.name}`, () => {
    const data = Buffer.from(v.data, 'hex')
    const decoded = coder.accounts.decode(v.account, data)
    agree(flatten(decoded), v.fields, ['entries[', 'panel[', 'first[', 'content'])
    const list = LISTS[v.account]
    if (decoded.appeal_seats > 0) twoLevels(v, data, decoded)
    else if (list) items(v, data, decoded, list)
    for (const other of idl.accounts) {
      if (other.name !== v.account) assert.throws(() => coder.accounts.decode(other.name, data), other.name)
    }
  })
}

// The seats of the appeal follow those of the first panel.
function twoLevels(v, data, decoded) {
  const { panel_seats: first, appeal_seats: more } = decoded
  assert.equal(data.length, 360 + 96 * (first + more))
  items(v, data.subarray(0, 360 + 96 * first), decoded, { ...LISTS.Case, name: 'first', count: 'first_seats' })
  items(v, data, decoded, { ...LISTS.Case, head: 360 + 96 * first, room: 'appeal_seats' })
}

function items(v, data, decoded, { name, kind, head, size, room, count }) {
  assert.equal(data.length, head + size * decoded[room])
  for (let i = 0; i < decoded[count]; i++) {
    const at = head + size * i
    const found = flatten(coder.types.decode(kind, data.subarray(at, at + size)), `${name}[${i}]`)
    const mine = v.fields.filter((f) => f.name.startsWith(`${name}[${i}].`))
    assert.ok(mine.length > 0)
    agree(found, mine)
  }
}

for (const v of instructions) {
  test(`instruction ${v.name}`, async () => {
    const data = Buffer.from(v.data, 'hex')
    const decoded = coder.instruction.decode(data)
    assert.equal(decoded.name, v.instruction)
    agree(flatten(decoded.data), v.args)
    assert.equal(coder.instruction.encode(v.instruction, decoded.data).toString('hex'), v.data)
    await build(v)
  })
}

// The instruction that Anchor's client builds from the names of the accounts: the same metas in
// the same order.
async function build(v) {
  const program = new Program(idl, { connection: {} })
  const camel = (name) => name.replace(/_(.)/g, (_, c) => c.toUpperCase())
  const decoded = program.coder.instruction.decode(Buffer.from(v.data, 'hex'))
  const spec = idl.instructions.find((i) => i.name === v.instruction)
  const args = spec.args.map((a) => decoded.data[camel(a.name)])
  const named = Object.fromEntries(spec.accounts.map((a) => [camel(a.name), null]))
  for (const m of v.accounts) named[camel(m.name)] = new web3.PublicKey(m.address)
  const built = await program.methods[camel(v.instruction)](...args).accountsStrict(named).instruction()
  assert.equal(built.programId.toBase58(), idl.address)
  assert.equal(built.data.toString('hex'), v.data)
  v.accounts.forEach((m, i) => {
    // An optional account that is absent is the program's address, never writable or signing.
    assert.deepEqual(
      [built.keys[i].pubkey.toBase58(), built.keys[i].isSigner, built.keys[i].isWritable],
      [m.address, m.signer, m.writable], m.name)
  })
}

test('addresses follow from the IDL', async () => {
  const program = new Program(idl, { connection: {} })
  const v = (name) => instructions.find((i) => i.name === name)
  const address = (name, account) => v(name).accounts.find((a) => a.name === account).address
  const key = (name, account) => new web3.PublicKey(address(name, account))
  const resolved = async (method) => Object.fromEntries(Object.entries(await method.pubkeys()).map(([n, k]) => [n, k.toBase58()]))

  const zero = Array(32).fill(0)
  const agent = await resolved(program.methods.registerAgent(key('register_agent', 'authority'), zero, 0x01020304)
    .accountsPartial({ authority: key('register_agent', 'authority'), operator: null }))
  for (const name of ['config', 'agent', 'page', 'system']) assert.equal(agent[name], address('register_agent', name), name)

  const counter = await resolved(program.methods.counterObject(zero)
    .accountsPartial({ worker: key('counter_object', 'worker'), rules: key('counter_object', 'rules'), task: key('counter_object', 'task') }))
  assert.equal(counter.case, address('counter_object', 'case'))
  assert.equal(counter.workerAgent, address('counter_object', 'worker_agent'))

  const init = await resolved(program.methods.initConfig(zero, {})
    .accountsPartial({ authority: key('init_config', 'authority'), program: key('init_config', 'program') }))
  assert.equal(init.programData, address('init_config', 'program_data'))
  for (const name of ['roster', 'rules']) assert.equal(init[name], address('init_config', name), name)
})

for (const v of events) {
  test(`event ${v.name}`, () => {
    const logs = [`Program ${idl.address} invoke [1]`, v.log, `Program ${idl.address} success`]
    const parsed = [...new EventParser(new web3.PublicKey(idl.address), coder).parseLogs(logs)]
    assert.equal(parsed.length, 1)
    assert.equal(parsed[0].name, v.event)
    agree(flatten(parsed[0].data), v.fields)
  })
}

test('every account, instruction, event and error of the IDL has a vector', () => {
  const names = read('../../vectors/names.json')
  const same = (a, b) => assert.deepEqual(a.map((x) => [x.name, Buffer.from(x.discriminator).toString('hex')]), b.map((x) => [x.name, x.discriminator]))
  same(idl.accounts, names.accounts)
  same(idl.instructions, names.instructions)
  same(idl.events, names.events)
  assert.deepEqual(idl.errors.map(({ code, name }) => ({ code, name })), names.errors)
  for (const [list, vectors, field] of [['accounts', accounts, 'account'], ['instructions', instructions, 'instruction'], ['events', events, 'event']]) {
    for (const { name } of idl[list]) assert.ok(vectors.some((v) => v[field] === name), name)
  }
})
