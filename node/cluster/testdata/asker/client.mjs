// Asks a holder for data, as a judge does, and prints the answer as JSON. README.md has the
// options.
import { readFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { getData } from './asker.mjs'
import { announcements, cardOf, holdersOf } from './find.mjs'
import { readKey } from './keys.mjs'
import { connect, host, talk } from './line.mjs'

export const options = {
  network: { type: 'string' }, key: { type: 'string' }, to: { type: 'string' }, source: { type: 'string' },
  request: { type: 'string', default: '{}' }, access: { type: 'string', multiple: true, default: [] },
  promise: { type: 'string', multiple: true, default: [] }, 'price-limit': { type: 'string' },
  case: { type: 'string' }, round: { type: 'string' }, judge: { type: 'string' }
}

/** The network's descriptor (section 11), from its URL or a file. */
export async function descriptor(from) {
  if (!/^https?:/.test(from)) return JSON.parse(await readFile(from, 'utf8'))
  return (await fetch(from, { signal: AbortSignal.timeout(120_000) })).json()
}

/** The call (section 12, Contents). The seat is the asker's authority. */
export function callOf(me, given) {
  const seat = given.case && { case: given.case, round: Number(given.round), judge: given.judge }
  return { identity: me, owner: '', relation: '', request_type: 'evidence', access: given.access, promise: given.promise,
    data_source: given.source, ...(given['price-limit'] && { price_limit: given['price-limit'] }), ...seat }
}

/** Asks the named holder, or each holder that the bootstrap nodes know, until one answers. */
async function run(node, given) {
  const { name, network, program, bootstrap } = await descriptor(given.network)
  const found = given.to ? [{ addresses: [given.to] }]
    : holdersOf(await announcements(await connect(node, bootstrap), name), given.source)
  let failed = new Error('nobody who has the source was found')
  for (const holder of found) {
    try {
      const connection = await connect(node, holder.addresses)
      const card = holder.card && await cardOf(connection, name, holder.card)
      const line = await talk(node, connection, name)
      const got = await getData(line, callOf(line.me, given), JSON.parse(given.request), { network, program })
      return { holder: line.peer, card, ...got }
    } catch (error) {
      failed = error
    }
  }
  throw failed
}

async function main() {
  const { values: given } = parseArgs({ options })
  const node = await host(await readKey(given.key))
  try {
    console.log(JSON.stringify(await run(node, given)))
  } catch (error) {
    console.log(JSON.stringify({ error: error.message, kind: error.constructor.name, performative: error.performative, content: error.content }))
    process.exitCode = 1
  } finally {
    await node.stop()
  }
}

if (import.meta.filename === process.argv[1]) await main()
