// The agreement: a proposal checked against its call, and the hash of the terms (section 12).
import { bare, covers, isMandatory, stepsOf } from './access.mjs'
import { byUTF8, exactly, hashOf } from './json.mjs'

/**
 * The fault of a holder: it grants more than the call, asks more than the offer, or sends unagreed
 * data.
 */
export class Breach extends Error {}
/** The holder did not grant a mandatory part. It may do that. */
export class NotEnough extends Error {}

function lamports(text) {
  if (typeof text !== 'string' || !/^(0|[1-9]\d{0,19})$/.test(text)) throw new Error(`${text} are no lamports`)
  return BigInt(text)
}

function nameOf(given) {
  if (typeof given !== 'string') throw new Error('a name is a string')
  const name = bare(given)
  const length = Buffer.byteLength(name)
  if (length < 1 || length > 128 || name.trim() !== name || /\p{Cc}/u.test(name)) throw new Error(`${JSON.stringify(name)} is no name`)
  return name
}

function namesOf(list, same) {
  if (!Array.isArray(list) || list.length > 64) throw new Error('names are an array of at most 64 strings')
  const names = list.map(nameOf)
  if (new Set(names.map(same)).size !== names.length) throw new Error('a name stands there twice')
  return names
}

/** The content of a PROPOSE, its names without suffix; throws if it is malformed. */
export function readProposal(content) {
  const { access, promise, price = '0' } = exactly(exactly(content, ['response']).response, ['access', 'promise'], ['price'])
  lamports(price)
  return { access: namesOf(access, name => JSON.stringify(stepsOf(name))), promise: namesOf(promise, name => name), price }
}

/** Checks a proposal against its call by the table under Agreement. */
export function checkProposal(call, { access, promise, price }) {
  const asked = call.access.length ? call.access.map(bare) : ['*']
  const offered = call.promise.map(bare)
  for (const name of access) if (!asked.some(a => covers(a, name))) throw new Breach(`access ${name} was not asked for`)
  for (const name of promise) if (!offered.includes(name)) throw new Breach(`promise ${name} is not in the call`)
  if (call.price_limit !== undefined && lamports(price) > lamports(call.price_limit)) throw new Breach(`${price} lamports are too much`)
  if (access.length === 0) throw new NotEnough('nothing is granted')
  for (const name of call.access.filter(isMandatory).map(bare)) {
    if (!access.some(a => covers(a, name))) throw new NotEnough(`access ${name} is mandatory`)
  }
  for (const name of call.promise.filter(isMandatory).map(bare)) {
    if (!promise.includes(name)) throw new NotEnough(`promise ${name} is mandatory`)
  }
}

/** Returns the SHA-256 of the agreed terms, for ACCEPT-PROPOSAL and every receipt. */
export function termsHash(asker, holder, call, { access, promise, price }) {
  const { identity, owner, relation, request_type } = call
  const terms = { format: 'anex-terms/1', asker, holder, identity, owner, relation, request_type, price,
    access: access.toSorted(byUTF8), promise: promise.toSorted(byUTF8) }
  for (const name of ['data_source', 'case', 'round', 'judge']) if (call[name] !== undefined) terms[name] = call[name]
  return hashOf(terms)
}
