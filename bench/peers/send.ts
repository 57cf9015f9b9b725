/** Single requests to a server that is about to be measured. */
import type { Running } from '../targets/target.ts'
import type { PlainShot } from './peer.ts'

/** @returns the text of the answer @throws unless it is a success */
export async function send({ url }: Pick<Running, 'url'>, shot: PlainShot): Promise<string> {
  const { path, ...init } = shot
  const response = await fetch(url + path, { ...init, tls: { rejectUnauthorized: false } })
  const text = await response.text()
  if (!response.ok) throw new Error(`${shot.method} ${url}${path}: ${response.status} ${text}`)
  return text
}
