/** The load generator for peers: a process of its own that asks each of them for the same, in turns. */
import autocannon from 'autocannon'
import { answer, requestOf } from '../harness/child.ts'
import { answersOf, type Generator, type LoadFigures, type Prepared, SAMPLE_MS, takeTurns } from '../load/load.ts'
import { listPeer } from './list-peers.ts'
import { CONNECTIONS, shotsOf, WORKS, type Work } from './work.ts'

export interface PeerLoad {
  /** Name of the peer. */
  readonly peer: string
  readonly url: string
  /** The server's process. */
  readonly pid: number
}

export interface PeerLoadRequest {
  readonly loads: readonly PeerLoad[]
  /** Length of the list. */
  readonly children: number
  /** Of each load: measured, in so many turns, and before that. */
  readonly seconds: number
  readonly turns: number
  readonly warmSeconds: number
}

/** In the order of the loads. */
export type PeerLoadFigures = Readonly<Record<Work, readonly LoadFigures[]>>

/** One work after the other, so that nobody writes while others are read. */
async function runLoads({ loads, children, ...times }: PeerLoadRequest): Promise<PeerLoadFigures> {
  const figures: Partial<Record<Work, readonly LoadFigures[]>> = {}
  for (const work of WORKS) {
    figures[work] = await takeTurns(
      loads.map((load) => prepare(load, work, children)),
      times,
    )
  }
  return figures as PeerLoadFigures
}

function prepare({ peer: name, url, pid }: PeerLoad, work: Work, children: number): Prepared {
  const peer = listPeer(name)
  const shots = Array.from({ length: CONNECTIONS }, (_, connection) => shotsOf(peer, work, children, connection))
  return { title: `${work} of ${name}`, pid, generate: generatorOf(url, shots), refused: false }
}

/**
 * Sends for so many seconds the first time, and later as many requests as that rate would take so long for. All of
 * those are waited for: of a slow server, the requests that the end cuts off would be a good part of its bill.
 */
function generatorOf(url: string, shots: ReturnType<typeof shotsOf>[]): Generator {
  let perSecond: number | undefined
  return async (seconds) => {
    let opened = 0
    const length =
      perSecond === undefined
        ? { duration: seconds }
        : { amount: Math.max(CONNECTIONS, Math.round(perSecond * seconds)) }
    const result = await autocannon({
      url,
      connections: CONNECTIONS,
      pipelining: 1,
      sampleInt: SAMPLE_MS,
      requests: shots[0] ?? [],
      setupClient: (client) => client.setRequests(shots[opened++ % CONNECTIONS] ?? []),
      ...length,
    })
    const answers = answersOf(result)
    perSecond ??= answers.succeeded / answers.seconds
    return answers
  }
}

if (import.meta.main) answer(await runLoads(requestOf<PeerLoadRequest>()))
