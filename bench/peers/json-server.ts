/** json-server: lists in memory, kept in one file of JSON that is rewritten as a whole after each write. */
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import manifest from '../../package.json' with { type: 'json' }
import { CHILD_LIFETIME_MS } from '../harness/child.ts'
import { places } from '../stock/places.ts'
import { freePort, startForeign } from '../targets/foreign.ts'
import type { Running } from '../targets/target.ts'
import { JSON_HEADERS, type ListPeer, type ListSetup, missingPackage } from './peer.ts'
import { nodeRuntime } from './runtime.ts'

const SCRIPT = fileURLToPath(new URL('json-serve.mjs', import.meta.url))

/** Its elements carry their key. */
interface Element {
  readonly id: string
}

/** A write starts to rewrite the file, and is answered without waiting for that; there are no indexes. */
export const jsonServer: ListPeer = {
  name: 'json-server',
  get setting() {
    return `in ${nodeRuntime().name}, plain HTTP, no index since it has none; rewrites its whole file after a write`
  },
  acknowledges: 'from memory, before the file is written',
  version: () => manifest.devDependencies['json-server'],
  missing: () => missingPackage('json-server'),
  start,
  get: (key) => ({ method: 'GET', path: `/places/${key}` }),
  put: (key, place) => ({
    method: 'PUT',
    path: `/places/${key}`,
    headers: JSON_HEADERS,
    body: JSON.stringify(place),
  }),
  first: (count) => ({ method: 'GET', path: `/places?_sort=name&_limit=${count}` }),
  placeIn: (answer) => withoutKey(JSON.parse(answer) as Element)[1],
  placesIn: (answer) => (JSON.parse(answer) as readonly Element[]).map(withoutKey),
}

async function start({ dataDir, children }: ListSetup): Promise<Running> {
  const [port, file] = [freePort(), join(dataDir, 'places.json')]
  await Bun.write(file, JSON.stringify({ places: places(children).map(([id, place]) => ({ id, ...place })) }))
  const command = [nodeRuntime().file, SCRIPT, file, String(port), String(CHILD_LIFETIME_MS)]
  return startForeign({ command, url: `http://127.0.0.1:${port}`, port })
}

function withoutKey({ id, ...place }: Element): readonly [key: string, place: unknown] {
  return [id, place]
}
