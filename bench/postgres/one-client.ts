/** How long one client waits for a durable write, one after the other. */
import { askChild } from '../harness/child.ts'
import type { Part } from '../harness/part.ts'
import { spread } from '../harness/rounds.ts'
import { withServer } from '../load/https.ts'
import { type Figure, figure, type Goal, type Row } from '../report/row.ts'
import { dholeServer } from '../targets/dhole.ts'
import type { OneClientFigures, OneClientRequest } from './one-client-load.ts'
import { alternating, prepareBoth, withBoth } from './trees.ts'

const SQLITE = 'one client sqlite'
const POSTGRES = 'one client postgres'
/** Milliseconds more than on SQLite. */
const LATER: Goal = { kind: 'at most', bound: 0.5 }

export const oneClientPart: Part = {
  quick: true,
  prepare: prepareBoth,
  variants(workspace, settings) {
    const { mixedSize, seconds, turns, warmSeconds } = settings
    const { certificate } = workspace
    const order = alternating<readonly [name: string, url: string]>()
    return [
      {
        name: 'PUT leaf, one client',
        compete: () =>
          withBoth(workspace, mixedSize, (dataDir, url) =>
            withServer(dholeServer({ certificate, dataDir }), (files) =>
              withServer(dholeServer({ certificate, database: { url, insecure: true } }), async (server) => {
                const asked = order([
                  [SQLITE, files.url],
                  [POSTGRES, server.url],
                ])
                const request: OneClientRequest = {
                  urls: asked.map(([, address]) => address),
                  leaves: mixedSize,
                  seconds,
                  turns,
                  warmSeconds,
                }
                const figures = await askChild<OneClientFigures[]>('postgres/one-client-load.ts', request)
                return Object.fromEntries(asked.map(([name], index) => [name, { ...figures[index] }]))
              }),
            ),
          ),
      },
    ]
  },
  rows: (samples, { mixedSize: size, quick }): Row[] => {
    const ms = (name: string): Figure => ({
      ...figure(samples.get(name, 'p50Ms'), 'ms'),
      beside: { title: 'p99', ...figure(samples.get(name, 'p99Ms'), 'ms') },
    })
    const files = samples.get(SQLITE, 'p50Ms')
    return [
      {
        name: POSTGRES,
        operation: 'PUT leaf, one client, p50, HTTPS, later than on SQLite',
        size,
        measured: ms(POSTGRES),
        limit: { title: 'SQLite', ...ms(SQLITE) },
        judged: spread(samples.get(POSTGRES, 'p50Ms').map((p50, round) => p50 - (files[round] ?? Number.NaN))),
        unit: 'ms',
        // Beside other programs each process that a write waits for may wait for a core.
        goal: quick ? undefined : LATER,
      },
    ]
  },
}
