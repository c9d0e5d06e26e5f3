// Frames: status byte, length as a minimal uvarint, payload (section 9).
import { byteStream } from '@libp2p/utils'
import * as varint from 'uint8-varint'

const STATUS = ['ok', 'not found', 'busy', 'refused', 'bad request', 'internal error']
const REASON = 256 // bytes of the text after an error status

/** Frames on a stream, with payloads of at most `limit` bytes. Times are in milliseconds. */
export function framed(stream, limit) {
  const bytes = byteStream(stream)
  const take = async (n, signal) => (n ? (await bytes.read({ bytes: n, signal })).subarray() : new Uint8Array())

  async function length(most, signal) {
    const read = []
    do read.push((await take(1, signal))[0])
    while (read.at(-1) > 0x7f && read.length < 5)
    if (read.at(-1) > 0x7f || (read.at(-1) === 0 && read.length > 1)) throw new Error('frame: the length is not minimal')
    const n = varint.decode(Uint8Array.from(read))
    if (n > most) throw new Error(`frame: ${n} bytes, at most ${most}`)
    return n
  }

  return {
    write(payload, ms) {
      const frame = Buffer.concat([Uint8Array.of(0), varint.encode(payload.length), payload])
      return bytes.write(frame, { signal: AbortSignal.timeout(ms) })
    },
    async read(ms) {
      const signal = AbortSignal.timeout(ms)
      const [status] = await take(1, signal)
      if (status >= STATUS.length) throw new Error(`frame: unknown status ${status}`)
      const payload = await take(await length(status ? REASON : limit, signal), signal)
      if (status) throw new Error(`${STATUS[status]}: ${Buffer.from(payload).toString('utf8')}`)
      return payload
    }
  }
}
