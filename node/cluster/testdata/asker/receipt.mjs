// Receipts: a holder's signed proof of its answer (section 10).
import { canonical, exactly, hashOf } from './json.mjs'
import { verifies } from './keys.mjs'

const FIELDS = ['network', 'program', 'case', 'round', 'judge', 'asker', 'holder', 'source', 'access', 'request', 'response',
  'terms', 'price', 'fetched_at', 'at', 'signature']
const DOMAIN = Buffer.from('oju:receipt:v1')
const LIMIT = 8192

/**
 * Checks a receipt against the facts that this side knows, and its signature against the holder's
 * key. Returns the hash for the receipts root (section 3), or throws the fault.
 */
export function checkReceipt(receipt, expected, holderKey) {
  exactly(receipt, FIELDS)
  const bytes = canonical(receipt)
  if (bytes.length > LIMIT) throw new Error(`receipt: ${bytes.length} bytes, at most ${LIMIT}`)
  for (const [name, value] of Object.entries(expected)) {
    if (hashOf(receipt[name]) !== hashOf(value)) {
      throw new Error(`receipt: ${name} is ${JSON.stringify(receipt[name])} and not ${JSON.stringify(value)}`)
    }
  }
  for (const name of ['fetched_at', 'at']) if (!Number.isSafeInteger(receipt[name])) throw new Error(`receipt: ${name} is no time`)
  const { signature, ...signed } = receipt
  const message = Buffer.concat([DOMAIN, canonical(signed)])
  const given = Buffer.from(String(signature), 'base64')
  if (given.toString('base64') !== signature || !verifies(holderKey, message, given)) throw new Error('receipt: the signature is not good')
  return hashOf(receipt)
}
