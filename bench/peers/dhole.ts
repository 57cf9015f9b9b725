/** The product, asked as its peers are. */
import manifest from '../../package.json' with { type: 'json' }
import { urlOf } from '../stock/blogs.ts'
import { PLACES_PATH, type Place, places } from '../stock/places.ts'
import { dholeServer } from '../targets/dhole.ts'
import type { Running } from '../targets/target.ts'
import type { ListPeer } from './peer.ts'
import { send } from './send.ts'

export const dhole: ListPeer = {
  name: 'dhole',
  setting: 'in Bun, HTTPS, which is all it speaks',
  acknowledges: 'when it is durable',
  version: () => manifest.version,
  missing: () => undefined,
  start: ({ dataDir, certificate }) => dholeServer({ certificate, dataDir, strict: true }).start(),
  fill,
  get: (key) => ({ method: 'GET', path: urlOf([...PLACES_PATH, key]) }),
  put: (key, place) => ({ method: 'PUT', path: urlOf([...PLACES_PATH, key]), body: JSON.stringify(place) }),
  first: (count) => ({ method: 'GET', path: `${urlOf(PLACES_PATH)}?orderBy=%22name%22&limitToFirst=${count}` }),
  placeIn: (answer) => JSON.parse(answer),
  placesIn: (answer) => Object.entries(JSON.parse(answer) as Readonly<Record<string, Place>>),
}

async function fill(running: Running, children: number): Promise<void> {
  const list = Object.fromEntries(places(children))
  await send(running, { method: 'PUT', path: urlOf(PLACES_PATH), body: JSON.stringify(list) })
}
