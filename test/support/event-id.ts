import { createDecipheriv, createHmac } from 'node:crypto'
import { SECRET } from './https-server.ts'

/** What an id of an event says to whoever knows the secret of its application. */
export interface EventId {
  /** The same for ids of one tree. */
  readonly tree: string
  /** Number of the commit. */
  readonly seq: number
}

/** Reads an id without the code of the server. @param secret of the application; default: that of the test suite */
export function readEventId(id: string | undefined, secret: string = SECRET): EventId {
  const key = createHmac('sha256', secret).update('dhole position key 1').digest().subarray(0, 16)
  const block = createDecipheriv('aes-128-ecb', key, null)
    .setAutoPadding(false)
    .update(Buffer.from(id ?? '', 'base64url'))
  return { tree: block.toString('hex', 0, 8), seq: Number(block.readBigUInt64BE(8)) }
}
