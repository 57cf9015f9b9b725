/** Many connections with one listen each, in a process of their own that does what it is told. */
import { WireClient } from './wire-client.ts'

/** An order; each is answered when it is done. */
export type CrowdOrder =
  /** Opens so many connections, and waits until each has its listen answered. */
  | {
      readonly kind: 'open'
      readonly url: string
      readonly count: number
      readonly path: string
      readonly hash: string
    }
  /** Forgets how many pushes there were. */
  | { readonly kind: 'forget' }
  /** Waits until every connection has one push. */
  | { readonly kind: 'hear' }
  /** Waits until the server has ended every connection. */
  | { readonly kind: 'lose' }
  /** Ends every connection. */
  | { readonly kind: 'close' }

export interface CrowdState {
  /** Of frames, on all connections. */
  readonly bytes: number
  readonly pushes: number
}

/** Connections that are opened at once. */
const OPENING = 50
/** Something is wrong when it takes longer. */
const LIFETIME_MS = 150_000

let clients: WireClient[] = []
let heard = Promise.withResolvers<void>()
let lost = Promise.withResolvers<void>()
let missing = 0

async function open(url: string, count: number, path: string, hash: string): Promise<void> {
  lost = Promise.withResolvers()
  for (let first = 0; first < count; first += OPENING) {
    const opening = Math.min(OPENING, count - first)
    await Promise.all(Array.from({ length: opening }, () => join(url, path, hash)))
  }
}

async function join(url: string, path: string, hash: string): Promise<void> {
  const client = await WireClient.connect(url)
  client.onPush = () => {
    if (client.pushes === 1 && --missing === 0) heard.resolve()
  }
  client.onLost = () => {
    clients = clients.filter((other) => other !== client)
    if (clients.length === 0) lost.resolve()
  }
  clients.push(client)
  await client.listen(path, hash)
}

function obey(order: CrowdOrder): Promise<void> | undefined {
  switch (order.kind) {
    case 'open':
      return open(order.url, order.count, order.path, order.hash)
    case 'forget':
      heard = Promise.withResolvers()
      missing = clients.length
      for (const client of clients) client.pushes = 0
      return undefined
    case 'hear':
      return heard.promise
    case 'lose':
      return lost.promise
    case 'close':
      for (const client of clients) client.close()
      clients = []
      return undefined
  }
}

function state(): CrowdState {
  return {
    bytes: clients.reduce((sum, { bytesReceived }) => sum + bytesReceived, 0),
    pushes: clients.reduce((sum, { pushes }) => sum + pushes, 0),
  }
}

if (import.meta.main) {
  setTimeout(() => process.exit(1), LIFETIME_MS)
  process.on('disconnect', () => process.exit(0))
  process.on('message', async (order: CrowdOrder) => {
    await obey(order)
    process.send?.(state())
  })
}
