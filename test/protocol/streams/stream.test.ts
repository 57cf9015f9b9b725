import { describe, test } from 'bun:test'
import type { DholeOptions } from '../../../src/index.ts'
import { runsOnPostgres } from '../../support/engine.ts'
import { startInProcess } from '../../support/https-server.ts'
import { inLanes, someInLanes } from '../../support/lane.ts'
import { withServer } from '../../support/with-server.ts'
import { filteredStreams } from './filtered-streams.ts'
import { play, type StreamCase } from './interpreter.ts'
import { nodeStreams } from './node-streams.ts'

const tables: Readonly<Record<string, readonly StreamCase[]>> = {
  'streams of nodes': nodeStreams,
  'filtered streams': filteredStreams,
}

const storages: Readonly<Record<string, DholeOptions['storage']>> = {
  'as it comes': {},
  'every node a row, every list indexed': { shortList: 0, inlineLength: 0 },
}

/** As of now: the functions of `describe` run when all files are read. */
const isOnPostgres = runsOnPostgres()

for (const [storage, options] of Object.entries(storages)) {
  describe(`storage: ${storage}`, () => {
    const server = withServer(() => startInProcess({ storage: options ?? {} }))

    for (const [table, rows] of Object.entries(tables)) {
      describe(table, () => {
        // In the short lane each of the other ways has some rows, and SQLite as it comes has all.
        const isUsual = options === storages['as it comes'] && !isOnPostgres
        const played = isUsual ? rows : someInLanes(rows, 3)
        test.each(played.map((row) => [row.name, row] as const))('%s', (_, row) => play(row, server))
        const overHttp2 = inLanes(
          rows.filter((_, at) => at % 5 === 0),
          rows,
        )
        test.each(overHttp2.map((row) => [row.name, row] as const))('%s (HTTP/2)', (_, row) =>
          play(row, server, { http2: true }),
        )
      })
    }
  })
}
