// Requests that a holder must refuse. Each has its own conversation. The answers are printed, one
// line of JSON each.
import { parseArgs } from 'node:util'
import { introduce } from './asker.mjs'
import { callOf, descriptor, options } from './client.mjs'
import { CONTRACT_NET, DATA_EXCHANGE, HANDSHAKING, Conversation } from './conversation.mjs'
import { readKey } from './keys.mjs'
import { connect, host, talk } from './line.mjs'

const asked = { 'reply-with': 'x' }

/** After each of them the holder must answer. */
const misdeeds = {
  'wrong terms hash': async (talk, { call }) => {
    await introduce(talk)
    const answers = await talk.ask(CONTRACT_NET, 'CFP', { request: call }, 'PROPOSE')
    await talk.say(CONTRACT_NET, 'ACCEPT-PROPOSAL', { response: 'Agreed.', terms: '00'.repeat(32) }, { answers })
  },
  'not JSON': async (talk, { line }) => {
    await introduce(talk)
    await line.write(Buffer.from('{ "performative": "CFP", '))
  },
  'a name twice': async (talk, { line }) => {
    await introduce(talk)
    await line.write(Buffer.from('{ "performative": "CFP", "performative": "CFP" }'))
  },
  'a field of FIPA': async talk => {
    await introduce(talk)
    await talk.say(CONTRACT_NET, 'CFP', {}, { ...asked, 'reply-to': 'somebody' })
  },
  'a term is missing': async (talk, { call: { owner, ...rest } }) => {
    await introduce(talk)
    await talk.say(CONTRACT_NET, 'CFP', { request: rest }, asked)
  },
  'data before terms': async (talk, { call }) => {
    await introduce(talk)
    await talk.say(DATA_EXCHANGE, 'REQUEST', { data_source: call.data_source, request: {} }, asked)
  },
  'no [PA*]': async talk => talk.say(HANDSHAKING, 'REQUEST', { message: 'Hi, I am nobody.' }),
  'too late': async talk => {
    await talk.say(HANDSHAKING, 'REQUEST', { message: '[PA*]' })
    await talk.say(HANDSHAKING, 'REQUEST', { request: '?' }, { ...asked, 'reply-by': '2026-01-02T15:04:05Z' })
  }
}

async function attempt(line, call, misdeed) {
  const conversation = new Conversation(line)
  try {
    await misdeed(conversation, { line, call })
    return await conversation.hear()
  } catch (error) {
    return { performative: error.performative, error: error.message }
  }
}

const { values: given } = parseArgs({ options })
const node = await host(await readKey(given.key))
try {
  const { name } = await descriptor(given.network)
  const connection = await connect(node, [given.to])
  for (const [misdeed, does] of Object.entries(misdeeds)) {
    const line = await talk(node, connection, name)
    console.log(JSON.stringify({ misdeed, ...await attempt(line, callOf(line.me, given), does) }))
    await line.close()
  }
} finally {
  await node.stop()
}
