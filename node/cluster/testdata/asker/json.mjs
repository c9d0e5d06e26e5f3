// JSON by docs/protocol.md: canonical (section 1), in the spelling of messages, and strict reading
// (section 12, Messages).
import { createHash } from 'node:crypto'
import canonicalize from 'canonicalize'

export const canonical = value => Buffer.from(canonicalize(value), 'utf8')
export const sha256 = bytes => createHash('sha256').update(bytes).digest('hex')
export const hashOf = value => sha256(canonical(value))
export const isObject = value => typeof value === 'object' && value !== null && !Array.isArray(value)
export const byUTF8 = (a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))

/**
 * Writes JSON as a sender does: `{ "a": [1, 2] }`. Limits count this spelling; hashes never depend
 * on it.
 */
export function spell(value) {
  if (Array.isArray(value)) return `[${value.map(spell).join(', ')}]`
  if (!isObject(value)) return JSON.stringify(value)
  const members = Object.entries(value).map(([name, v]) => `${JSON.stringify(name)}: ${spell(v)}`)
  return members.length ? `{ ${members.join(', ')} }` : '{}'
}

/**
 * Reads JSON as a receiver does: UTF-8, one value, unique names, no lone surrogates, 64 levels,
 * finite numbers.
 */
export function parse(bytes) {
  const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  const value = JSON.parse(text) // checks the grammar, so the tokens below are valid
  const open = [] // a Set of names for each open object, null for an array
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"(?:\s*:)?|[{}[\]]|-?\d[\d.eE+-]*/g)) {
    if (token === '{' || token === '[') open.push(token === '{' ? new Set() : null)
    else if (token === '}' || token === ']') open.pop()
    else if (token.startsWith('"')) checkString(token, open.at(-1))
    else if (!Number.isFinite(Number(token))) throw new Error(`${token.slice(0, 40)} is no IEEE double`)
    if (open.length > 64) throw new Error('nested deeper than 64')
  }
  return value
}

function checkString(token, names) {
  const string = JSON.parse(token.replace(/\s*:$/, ''))
  if (!string.isWellFormed()) throw new Error('a lone surrogate')
  if (!token.endsWith(':')) return
  if (names.has(string)) throw new Error(`${JSON.stringify(string)} stands there twice`)
  names.add(string)
}

/** Refuses an object that lacks one of these members or has others. */
export function exactly(value, required, optional = []) {
  if (!isObject(value)) throw new Error('no object')
  for (const name of required) if (!Object.hasOwn(value, name)) throw new Error(`${name} is missing`)
  for (const name of Object.keys(value)) {
    if (!required.includes(name) && !optional.includes(name)) throw new Error(`${name} is not understood`)
  }
  return value
}
