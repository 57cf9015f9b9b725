/** Whether servers do the same work: only then are they timed. */
import { CHOSEN, placeKey } from '../stock/places.ts'
import type { Running } from '../targets/target.ts'
import type { ListPeer } from './peer.ts'
import { send } from './send.ts'
import { moved } from './work.ts'

/** A server that runs. */
export interface RunningPeer {
  readonly peer: ListPeer
  readonly running: Running
}

/** Places that are looked at, by index: the first comes first by name too. */
const ASKED = [0, 7, 19]
/** A value that no load writes. */
const TURN = 2

/**
 * Asks all of them for places, for places they were given in their stead, and for the first by name.
 * @throws unless all say what the first of them says
 */
export async function checkAgreement(servers: readonly RunningPeer[], children: number): Promise<void> {
  for (const index of ASKED) {
    const key = placeKey(index)
    await compare(`GET of ${key}`, servers, (server) => placeAt(server, key))
    const place = moved(index, children, TURN)
    await compare(`PUT of ${key}`, servers, async (server) => {
      await send(server.running, server.peer.put(key, place))
      const kept = await placeAt(server, key)
      if (!Bun.deepEquals(kept, place)) throw new Error(`${server.peer.name} does not keep what ${key} was given`)
      return kept
    })
  }
  await compare(`the first ${CHOSEN} by name`, servers, async ({ peer, running }) => {
    const found = peer.placesIn(await send(running, peer.first(CHOSEN)))
    if (found.length !== CHOSEN) throw new Error(`${peer.name} finds ${found.length} places, not ${CHOSEN}`)
    return found
  })
}

async function placeAt({ peer, running }: RunningPeer, key: string): Promise<unknown> {
  return peer.placeIn(await send(running, peer.get(key)))
}

/** The order of the properties of a place does not matter, that of a list of places does. */
async function compare(
  title: string,
  servers: readonly RunningPeer[],
  ask: (server: RunningPeer) => Promise<unknown>,
): Promise<void> {
  const [wanted, ...others] = await Promise.all(servers.map(ask))
  for (const [index, found] of others.entries()) {
    if (Bun.deepEquals(found, wanted, true)) continue
    const [ours, theirs] = [servers[0], servers[index + 1]].map((server) => server?.peer.name)
    const texts = [wanted, found].map((value) => JSON.stringify(value))
    throw new Error(`${title}: ${ours} says ${texts[0]}, ${theirs} says ${texts[1]}`)
  }
}
