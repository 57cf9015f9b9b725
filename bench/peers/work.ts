/** What every peer is asked to do: the same places in the same order, in the words of each. */
import { CHOSEN, type Place, place, placeKey, scattered } from '../stock/places.ts'
import type { ListPeer, PlainShot } from './peer.ts'

export const WORKS = ['get', 'first', 'put'] as const
export type Work = (typeof WORKS)[number]

export const CONNECTIONS = 16
/** That each connection reads or writes; no two connections have one in common. */
const PLACES_EACH = 32
const FIRST_COUNTRY = 100

/** What one connection sends, over and over. @param children length of the list */
export function shotsOf(peer: ListPeer, work: Work, children: number, connection: number): PlainShot[] {
  switch (work) {
    case 'get':
      return placesOf(children, connection).map((index) => peer.get(placeKey(index)))
    case 'first':
      return [peer.first(CHOSEN)]
    case 'put':
      // Each place is written twice a cycle with another value, so that no write finds what it brings.
      return [0, 1].flatMap((turn) =>
        placesOf(children, connection).map((index) => peer.put(placeKey(index), moved(index, children, turn))),
      )
    default:
      return work satisfies never
  }
}

/** The place in another country; its name, which queries go by, stays. */
export function moved(index: number, children: number, turn: number): Place {
  return { ...place(index, children), country: `c-${FIRST_COUNTRY + turn}` }
}

function placesOf(children: number, connection: number): number[] {
  const all = scattered(children, CONNECTIONS * PLACES_EACH)
  const each = Math.floor(all.length / CONNECTIONS)
  return all.slice(connection * each, (connection + 1) * each)
}
