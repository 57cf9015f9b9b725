import { describe, expect, test } from 'bun:test'
import { repeatsOnPostgres, runsOnPostgres } from '../../support/engine.ts'
import { inLanes, longTest, someInLanes } from '../../support/lane.ts'
import { withServer } from '../../support/with-server.ts'
import { conditional } from './conditional.ts'
import { dataModel } from './data-model.ts'
import { examples } from './examples.ts'
import { idempotent } from './idempotent.ts'
import { type Case, play } from './interpreter.ts'
import { methods } from './methods.ts'
import { parameters } from './parameters.ts'
import { queryErrors } from './queries/errors.ts'
import { queries } from './queries/queries.ts'
import { urlPaths } from './url-paths.ts'

const tables: Readonly<Record<string, readonly Case[]>> = {
  examples,
  'data model': dataModel,
  'paths in the URL': urlPaths,
  methods,
  parameters,
  'conditional requests': conditional,
  'idempotent writes': idempotent,
  queries,
  'refused queries': queryErrors,
}

/** As of now: the functions of `describe` run when all files are read. */
const [isOnPostgres, isRepeated] = [runsOnPostgres(), repeatsOnPostgres()]

/** In the short lane PostgreSQL has a third of every table, all of which SQLite has. */
function mostly(rows: readonly Case[]): readonly Case[] {
  return isRepeated ? someInLanes(rows, 3) : rows
}

/** In the short lane HTTP/2 has a fifth of every table, and on PostgreSQL nothing: all rows are played over HTTP/1.1. */
function everyFifth(rows: readonly Case[]): readonly Case[] {
  return inLanes(isOnPostgres ? [] : rows.filter((_, at) => at % 5 === 0), rows)
}

const server = withServer()

for (const [table, rows] of Object.entries(tables)) {
  describe(table, () => {
    test.each(mostly(rows).map((row) => [row.name, row] as const))('%s', (_, row) => play(row, server.call))
    test.each(everyFifth(rows).map((row) => [row.name, row] as const))('%s (HTTP/2)', (_, row) =>
      play(row, server.http2),
    )
  })
}

const eachName = isOnPostgres ? longTest : test
eachName('12 a thousand generated names increase as bytes', async () => {
  const names: string[] = []
  for (let index = 0; index < 1000; index++) {
    const { text } = await server.call('POST', '/names.json', { body: '1' })
    names.push((JSON.parse(text) as { name: string }).name)
  }
  expect(new Set(names).size).toBe(1000)
  expect(names.toSorted((left, right) => Buffer.compare(Buffer.from(left), Buffer.from(right)))).toEqual(names)
})
