/** Everyone who keeps a list of places. */
import { acebaseServer } from './acebase-server.ts'
import { dhole } from './dhole.ts'
import { jsonServer } from './json-server.ts'
import type { ListPeer } from './peer.ts'

/** Dhole is held against each of these. */
export const rivals: readonly ListPeer[] = [acebaseServer, jsonServer]

/** @throws when there is none of that name */
export function listPeer(name: string): ListPeer {
  const found = [dhole, ...rivals].find((peer) => peer.name === name)
  if (found === undefined) throw new Error(`There is no peer ${name}`)
  return found
}
