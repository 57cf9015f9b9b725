/** AceBase behind its own server: another tree with queries, over HTTP. */
import { fileURLToPath } from 'node:url'
import manifest from '../../package.json' with { type: 'json' }
import { CHILD_LIFETIME_MS } from '../harness/child.ts'
import { type Place, places } from '../stock/places.ts'
import { freePort, startForeign } from '../targets/foreign.ts'
import type { Running } from '../targets/target.ts'
import { JSON_HEADERS, type ListPeer, type ListSetup, missingPackage, type PlainShot } from './peer.ts'
import { nodeRuntime } from './runtime.ts'
import { send } from './send.ts'

const SCRIPT = fileURLToPath(new URL('acebase-serve.mjs', import.meta.url))
const NAME = 'bench'
const LIST = 'places'
/** One `update` of all of them takes much longer. */
const CHILDREN_PER_UPDATE = 2500

/** Values and what their types are, as this server takes and gives them. */
interface Serialized<T> {
  readonly val: T
}

interface Found {
  readonly list: readonly { readonly path: string; readonly val: unknown }[]
}

/** It writes its file before it answers, and syncs it nowhere; only an index that it builds is synced. */
export const acebaseServer: ListPeer = {
  name: 'acebase-server',
  get setting() {
    return `with acebase ${manifest.devDependencies.acebase} in ${nodeRuntime().name}, plain HTTP, an index on the name, no authentication`
  },
  acknowledges: 'when it is written to the file, not synced',
  version: () => manifest.devDependencies['acebase-server'],
  missing: () => missingPackage('acebase-server'),
  start,
  fill,
  get: (key) => ({ method: 'GET', path: dataPath(`${LIST}/${key}`) }),
  put: (key, place) => write('PUT', `${LIST}/${key}`, place),
  first: (count) => ({
    method: 'POST',
    path: `/query/${NAME}/${LIST}`,
    headers: JSON_HEADERS,
    body: JSON.stringify(firstByName(count)),
  }),
  placeIn: (answer) => (JSON.parse(answer) as Serialized<unknown>).val,
  placesIn(answer) {
    const { val } = JSON.parse(answer) as Serialized<Found>
    return val.list.map(({ path, val: place }) => [path.slice(LIST.length + 1), place])
  },
}

function start({ dataDir }: ListSetup): Promise<Running> {
  const port = freePort()
  const command = [nodeRuntime().file, SCRIPT, NAME, dataDir, String(port), String(CHILD_LIFETIME_MS)]
  return startForeign({ command, url: `http://127.0.0.1:${port}`, port })
}

async function fill(running: Running, children: number): Promise<void> {
  const all = places(children)
  for (let first = 0; first < all.length; first += CHILDREN_PER_UPDATE) {
    const page = all.slice(first, first + CHILDREN_PER_UPDATE)
    await send(running, write('POST', LIST, Object.fromEntries(page)))
  }
  const index = JSON.stringify({ path: LIST, key: 'name' })
  await send(running, { method: 'POST', path: `/index/${NAME}/create`, headers: JSON_HEADERS, body: index })
}

function write(method: 'PUT' | 'POST', path: string, value: Place | Readonly<Record<string, Place>>): PlainShot {
  const body: Serialized<unknown> = { val: value }
  return { method, path: dataPath(path), headers: JSON_HEADERS, body: JSON.stringify(body) }
}

function dataPath(path: string): string {
  return `/data/${NAME}/${path}`
}

/** As its client sends it. */
function firstByName(take: number): Serialized<object> {
  const query = { filters: [], skip: 0, take, order: [{ key: 'name', ascending: true }] }
  return { val: { query, options: { snapshots: true } } }
}
