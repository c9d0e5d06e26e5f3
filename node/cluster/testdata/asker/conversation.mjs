// One conversation: messages, their ids, and their answers (section 12: Messages, Order).
import { randomUUID } from 'node:crypto'
import { exactly, isObject, parse, spell } from './json.mjs'

export const HANDSHAKING = 'ANEX-Handshaking'
export const CONTRACT_NET = 'FIPA-Contract-Net'
export const DATA_EXCHANGE = 'ANEX-Data-Exchange'
export const TERMINATION = 'ANEX-Termination'

const FIELDS = ['performative', 'sender', 'receiver', 'content', 'language', 'ontology', 'protocol']
const IDS = ['conversation-id', 'reply-with', 'in-reply-to', 'reply-by']
const ENDS = ['NOT-UNDERSTOOD', 'CANCEL', 'FAILURE', 'REFUSE']
const ANSWER_MS = 120_000
const MESSAGE = 65_536 // bytes; INFORM of the data exchange is bounded by the frame

/**
 * The holder ended the conversation, with REFUSE, FAILURE, CANCEL, NOT-UNDERSTOOD, or INFORM of
 * ANEX-Termination.
 */
export class Ended extends Error {
  constructor({ performative, content }) {
    super(content.error ?? content.response ?? content.message)
    Object.assign(this, { performative, content })
  }
}

/** A message does not belong to this conversation, or is not the expected one. */
export class Malformed extends Error {}

export class Conversation {
  id = randomUUID()
  #line
  #asked = 0
  #protocol = HANDSHAKING

  constructor(line) {
    this.#line = line
  }

  /** Sends a message. `answers` is the holder's message that it answers, if any. */
  async say(protocol, performative, content, { answers, ...ids } = {}) {
    const { me: sender, peer: receiver } = this.#line
    const message = { performative, sender, receiver, content, language: 'JSON', ontology: 'ANEX-Ontology', protocol,
      'conversation-id': this.id, ...ids, ...(answers?.['reply-with'] && { 'in-reply-to': answers['reply-with'] }) }
    this.#protocol = protocol
    await this.#line.write(Buffer.from(spell(message)))
  }

  /**
   * Sends a message and returns the answer, which must be this performative of the same protocol.
   */
  async ask(protocol, performative, content, expected) {
    const label = `${performative.toLowerCase()}-${++this.#asked}`
    const by = new Date(Date.now() + ANSWER_MS).toISOString()
    await this.say(protocol, performative, content, { 'reply-with': label, 'reply-by': by })
    const answer = await this.hear()
    if (answer.performative !== expected || answer.protocol !== protocol) {
      throw new Malformed(`${answer.performative} of ${answer.protocol} came, and ${expected} of ${protocol} was due`)
    }
    if (answer['in-reply-to'] !== label) throw new Malformed(`it answers ${answer['in-reply-to']} and not ${label}`)
    return answer
  }

  /**
   * Returns the next message. Throws Ended if it is the last, and Malformed if it is not a message.
   */
  async hear() {
    const message = this.#read(await this.#line.read(ANSWER_MS))
    if (ENDS.includes(message.performative) || message.protocol === TERMINATION) throw new Ended(message)
    return message
  }

  /**
   * Ends the conversation: with NOT-UNDERSTOOD if that is the reason, silently if the holder ended
   * it.
   */
  async end(error) {
    if (error instanceof Ended) return
    if (error instanceof Malformed) await this.say(this.#protocol, 'NOT-UNDERSTOOD', { error: error.message })
    else await this.say(TERMINATION, 'INFORM', { message: 'Session terminated.' })
  }

  #read(bytes) {
    try {
      const message = exactly(parse(bytes), FIELDS, IDS)
      message.performative = String(message.performative).replaceAll('_', '-')
      if (!isObject(message.content)) throw new Error('content is no object')
      if (message.sender !== this.#line.peer || message.receiver !== this.#line.me) throw new Error('it is between others')
      if (message.language !== 'JSON' || message.ontology !== 'ANEX-Ontology') throw new Error('another language or ontology')
      if (message['conversation-id'] !== this.id) throw new Error('it is of another conversation')
      if (bytes.length > MESSAGE && message.protocol !== DATA_EXCHANGE) throw new Error(`${bytes.length} bytes, at most ${MESSAGE}`)
      return message
    } catch (error) {
      throw new Malformed(error.message)
    }
  }
}
