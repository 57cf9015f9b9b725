/** Writes to one server and listens to another, one write after the other, in a process of its own. */
import { answer, requestOf } from '../harness/child.ts'
import { ascending, percentile } from '../harness/percentile.ts'
import { KeepAliveClient, putRequest } from '../load/keep-alive-client.ts'
import { StreamClients } from '../load/stream-clients.ts'
import { leafPaths, urlOf } from '../stock/blogs.ts'

/** Addresses of who writes and who tells. */
interface Route {
  readonly writer: string
  readonly listener: string
}

export interface EventRequest {
  readonly routes: readonly Route[]
  /** Of each route: measured, in so many turns, and before that. */
  readonly seconds: number
  readonly turns: number
  readonly warmSeconds: number
}

/** From the acknowledgement of a write to its event; zero where the event was first. */
export interface EventFigures {
  readonly p50Ms: number
  readonly p99Ms: number
}

/** The first leaf is the same in every tree. */
const [LEAF = []] = leafPaths(1000, 1)

async function runRoutes({ routes, seconds, turns, warmSeconds }: EventRequest): Promise<EventFigures[]> {
  const lag: number[][] = routes.map(() => [])
  for (const { writer, listener } of routes) await listen(writer, listener, warmSeconds)
  for (let turn = 0; turn < turns; turn++) {
    for (const [index, { writer, listener }] of routes.entries()) {
      lag[index]?.push(...(await listen(writer, listener, seconds / turns)))
    }
  }
  return lag.map((all) => {
    const sorted = ascending(all)
    return { p50Ms: percentile(sorted, 50), p99Ms: percentile(sorted, 99) }
  })
}

let written = 0

/** @returns milliseconds of each write */
async function listen(writer: string, listener: string, seconds: number): Promise<number[]> {
  const client = await KeepAliveClient.connect(writer)
  const streams = new StreamClients()
  await streams.open(listener, [urlOf(LEAF)])
  const lag: number[] = []
  for (const end = performance.now() + seconds * 1000; performance.now() < end || lag.length === 0; ) {
    const told = streams.expect(1).then(() => performance.now())
    const status = await client.send(putRequest(LEAF, `title ${written++}`))
    const acknowledged = performance.now()
    if (status !== 200) throw new Error(`A write was answered with ${status}`)
    lag.push(Math.max(0, (await told) - acknowledged))
  }
  streams.close()
  client.close()
  return lag
}

if (import.meta.main) answer(await runRoutes(requestOf<EventRequest>()))
