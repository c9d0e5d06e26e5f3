// The asker's side, step by step (section 12, Order): terms, then data.
import { cut } from './access.mjs'
import { CONTRACT_NET, DATA_EXCHANGE, HANDSHAKING, Conversation, Malformed } from './conversation.mjs'
import { byUTF8, exactly, hashOf, spell } from './json.mjs'
import { checkReceipt } from './receipt.mjs'
import { Breach, checkProposal, readProposal, termsHash } from './terms.mjs'

const DATA = 1_048_576 // bytes, in the spelling of messages

/**
 * Agrees on terms with the holder on the line and gets one answer.
 * `call` is the call of the CFP; `court` has network (hex) and program (base58). Returns the
 * evidence.
 */
export async function getData(line, call, request, court) {
  const talk = new Conversation(line)
  try {
    await introduce(talk)
    const agreed = await agree(talk, line, call)
    const answer = await ask(talk, line, call, agreed, request, court)
    await talk.end() // step 9
    return { ...agreed, ...answer }
  } catch (error) {
    await talk.end(error).catch(() => {}) // the holder may have closed the stream
    throw error
  }
}

/** Steps 1 to 3. This asker refuses a modification as malformed. */
export async function introduce(talk) {
  await talk.say(HANDSHAKING, 'REQUEST', { message: 'Hi, I am a judge written in JavaScript [PA*].' })
  await talk.ask(HANDSHAKING, 'REQUEST', { request: 'Data for a case. Ok to continue?' }, 'AGREE')
}

/** Steps 4 to 6. */
async function agree(talk, line, call) {
  const answers = await talk.ask(CONTRACT_NET, 'CFP', { request: call }, 'PROPOSE')
  const proposal = understood(() => readProposal(answers.content))
  try {
    checkProposal(call, proposal)
  } catch (error) {
    await talk.say(CONTRACT_NET, 'REJECT-PROPOSAL', { response: error.message }, { answers })
    throw error
  }
  const terms = termsHash(line.me, line.peer, call, proposal)
  await talk.say(CONTRACT_NET, 'ACCEPT-PROPOSAL', { response: 'Agreed.', terms }, { answers })
  return { ...proposal, terms }
}

/** Steps 7 and 8: the data, which the cut must not change, and its receipt. */
async function ask(talk, line, call, agreed, request, court) {
  const { content } = await talk.ask(DATA_EXCHANGE, 'REQUEST', { data_source: call.data_source, request }, 'INFORM')
  const { data, receipt } = understood(() => exactly(content, ['data', 'receipt']))
  if (Buffer.byteLength(spell(data)) > DATA) throw new Breach('the data is too large')
  if (hashOf(cut(data, agreed.access)) !== hashOf(data)) throw new Breach('there are fields in the data that were not agreed on')
  const access = agreed.access.includes('*') ? [] : agreed.access.toSorted(byUTF8)
  const { case: task, round, judge, data_source: source } = call
  const expected = { ...court, case: task, round, judge, asker: line.me, holder: line.peer, source, access,
    request: hashOf(request), response: hashOf(data), terms: agreed.terms, price: agreed.price }
  return { data, receipt, receipt_hash: checkReceipt(receipt, expected, line.key) }
}

function understood(read) {
  try {
    return read()
  } catch (error) {
    throw new Malformed(error.message)
  }
}
