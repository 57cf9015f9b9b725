/** Writes to several servers in turns, over one connection each, one write after the other. */
import { answer, requestOf } from '../harness/child.ts'
import { ascending, percentile } from '../harness/percentile.ts'
import { KeepAliveClient, putRequest } from '../load/keep-alive-client.ts'
import { leafPaths } from '../stock/blogs.ts'

export interface OneClientRequest {
  readonly urls: readonly string[]
  /** Of their trees. */
  readonly leaves: number
  /** Of each server: measured, in so many turns, and before that. */
  readonly seconds: number
  readonly turns: number
  readonly warmSeconds: number
}

/** From sending a write to its answer. */
export interface OneClientFigures {
  readonly p50Ms: number
  readonly p99Ms: number
}

const PLACES = 512

async function runLoads({ urls, leaves, ...times }: OneClientRequest): Promise<OneClientFigures[]> {
  const requests = leafPaths(leaves, PLACES)
  const clients = await Promise.all(urls.map((url) => KeepAliveClient.connect(url)))
  let sent = 0
  const write = async (client: KeepAliveClient, seconds: number): Promise<number[]> => {
    const taken: number[] = []
    for (const end = performance.now() + seconds * 1000; performance.now() < end || taken.length === 0; sent++) {
      const request = putRequest(requests[sent % requests.length] ?? [], `title ${sent}`)
      const start = performance.now()
      const status = await client.send(request)
      taken.push(performance.now() - start)
      if (status !== 200) throw new Error(`A write was answered with ${status}`)
    }
    return taken
  }
  for (const client of clients) await write(client, times.warmSeconds)
  const taken: number[][] = urls.map(() => [])
  for (let turn = 0; turn < times.turns; turn++) {
    for (const [index, client] of clients.entries()) {
      taken[index]?.push(...(await write(client, times.seconds / times.turns)))
    }
  }
  return taken.map((all) => {
    const sorted = ascending(all)
    return { p50Ms: percentile(sorted, 50), p99Ms: percentile(sorted, 99) }
  })
}

if (import.meta.main) answer(await runLoads(requestOf<OneClientRequest>()))
