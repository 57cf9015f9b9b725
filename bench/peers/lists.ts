/** What reading, querying and writing cost dhole and those that people would use instead. */
import type { Part } from '../harness/part.ts'
import type { Samples } from '../harness/rounds.ts'
import type { Settings } from '../harness/settings.ts'
import { compareCpu, cpuOf } from '../load/https.ts'
import { figure, type Goal, type Row } from '../report/row.ts'
import { CHOSEN } from '../stock/places.ts'
import { competeWith, memoryName, type Times, variantName } from './contest.ts'
import { dhole } from './dhole.ts'
import { rivals } from './list-peers.ts'
import type { ListPeer } from './peer.ts'
import { CONNECTIONS, WORKS, type Work } from './work.ts'

const TIMES_LESS: Goal = { kind: 'at least', bound: 20 }
const TITLES: Readonly<Record<Work, string>> = {
  get: 'GET of a place',
  first: `first ${CHOSEN} places by name`,
  put: 'PUT of a place',
}

/** A part that asks those of them that are here, and names the others in its rows. */
export function partAgainst(peers: readonly ListPeer[]): Part {
  return {
    quick: true,
    variants: (workspace, settings) => [
      {
        name: 'peers',
        compete: () => {
          const present = peers.filter((peer) => peer.missing() === undefined)
          return competeWith(present, workspace, timesOf(settings))
        },
      },
    ],
    rows: (samples, settings) => {
      const { children } = timesOf(settings)
      const present = [dhole, ...peers.filter((peer) => peer.missing() === undefined)]
      return [
        ...WORKS.flatMap((work) => peers.map((peer) => rowOf(samples, peer, work, children))),
        ...plainRows(samples, present, children),
      ]
    },
  }
}

export const listsPart = partAgainst(rivals)

/** A list takes seconds to load, and every peer is asked for everything. */
export function timesOf({ quick, seconds, turns, warmSeconds }: Settings): Times {
  if (!quick) return { children: 10_000, seconds, turns, warmSeconds }
  return { children: 500, seconds: Math.min(seconds, 0.2), turns: 1, warmSeconds: Math.min(warmSeconds, 0.5) }
}

function rowOf(samples: Samples, peer: ListPeer, work: Work, children: number): Row {
  const [ours, theirs] = [variantName(dhole, work), variantName(peer, work)]
  const row = {
    name: `${work} against ${peer.name}`,
    operation: `${TITLES[work]}, against ${peer.name}`,
    size: children,
    unit: 'x',
    goal: peer.name === 'acebase-server' ? TIMES_LESS : undefined,
  }
  const reason = peer.missing()
  if (reason === undefined) return { ...row, ...compareCpu(samples, ours, theirs, peer.name) }
  return { ...row, measured: cpuOf(samples, ours), limit: `${peer.name} not measured: ${reason}`, judged: undefined }
}

/** What each server does by itself: requests a second, milliseconds and memory. */
function plainRows(samples: Samples, servers: readonly ListPeer[], children: number): Row[] {
  const row = (
    name: string,
    what: string,
    { name: server }: ListPeer,
    values: readonly number[],
    unit: string,
  ): Row => ({
    name: `${name} of ${server}`,
    operation: `${what}, ${server}`,
    size: children,
    measured: figure(values, unit),
    limit: undefined,
    judged: undefined,
    unit,
  })
  const rates = (server: ListPeer, work: Work) => samples.get(variantName(server, work), 'perSecond')
  // Each connection sends its next request when it has its answer.
  const times = (server: ListPeer, work: Work) => rates(server, work).map((rate) => (CONNECTIONS * 1000) / rate)
  return [
    ...WORKS.flatMap((work) =>
      servers.map((server) =>
        row(`${work} rate`, `${TITLES[work]}: requests a second`, server, rates(server, work), '/s'),
      ),
    ),
    ...WORKS.flatMap((work) =>
      servers.map((server) => row(`${work} time`, `${TITLES[work]}: milliseconds`, server, times(server, work), 'ms')),
    ),
    ...servers.map((server) =>
      row('memory', 'memory after all of it', server, samples.get(memoryName(server), 'mb'), 'MB'),
    ),
  ]
}
