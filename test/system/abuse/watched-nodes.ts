import { expect } from 'bun:test'
import { type IdleStreams, openIdle } from '../../support/idle-streams.ts'
import { type HoldServer, members, OWNER, startHoldServer } from './hold-server.ts'

const STREAMS_EACH = 100
/** No limit on the streams of this test. */
const MANY = { MAX_STREAMS: '0', MAX_STREAMS_PER_ADDRESS: '0', MAX_STREAMS_PER_APP: '0' }

/** A server with one stream to each child of a list. */
export interface WatchedNodes {
  /**
   * Longest hold of one write to all children, its delivery to every stream included, in milliseconds.
   * @param member of the written object
   */
  holdOf(method: 'PUT' | 'PATCH', member: (index: number, value: number) => [string, unknown]): Promise<number>
  /** See `HoldServer`. */
  boundMs(): number
  stop(): Promise<void>
}

/** @param query of each stream, `?orderBy="$key"`; empty for none */
export async function watchNodes(count: number, query: string): Promise<WatchedNodes> {
  const server = await startHoldServer(MANY)
  const write = (method: string, body: string) => server.send(method, '/list.json?print=silent', body, OWNER)
  expect(
    await write(
      'PUT',
      members(count, (index) => [`k${index}`, { v: 0 }]),
    ),
  ).toBe(204)
  const connections = await openAll(server, count, query)
  let value = 0
  const writeToAll = async (method: string, member: (index: number, value: number) => [string, unknown]) => {
    const before = connections.map(({ received }) => [...received])
    value++
    const status = await write(
      method,
      members(count, (index) => member(index, value)),
    )
    while (!connections.every(({ received }, at) => received.every((bytes, one) => bytes > (before[at]?.[one] ?? 0))))
      await new Promise(setImmediate)
    return status
  }
  return {
    holdOf: (method, member) => server.holdOf(() => writeToAll(method, member), 204),
    boundMs: server.boundMs,
    stop: async () => {
      await Promise.all(connections.map((connection) => connection.drop()))
      await server.stop()
    },
  }
}

async function openAll(server: HoldServer, count: number, query: string): Promise<IdleStreams[]> {
  const connections: IdleStreams[] = []
  for (let first = 0; first < count; first += STREAMS_EACH) {
    const targets = Array.from({ length: STREAMS_EACH }, (_, index) => `/list/k${first + index}.json${query}`)
    connections.push(await openIdle(server, targets))
  }
  return connections
}

/** Writes that concern every watched child: of the list, of all children, of a member of each. */
export const writesToAll = [
  ['PUT', (index: number, value: number): [string, unknown] => [`k${index}`, { v: value }]],
  ['PATCH', (index: number, value: number): [string, unknown] => [`k${index}`, { v: value }]],
  ['PATCH', (index: number, value: number): [string, unknown] => [`k${index}/v`, value]],
] as const
