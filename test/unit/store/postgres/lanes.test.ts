import { describe, expect, test } from 'bun:test'
import { serversOf } from '../../../../src/store/postgres/connection/address.ts'
import { failureKind } from '../../../../src/store/postgres/connection/database-errors.ts'
import { Lanes } from '../../../../src/store/postgres/connection/lanes.ts'
import { Primary } from '../../../../src/store/postgres/connection/primary.ts'
import { databaseUrl, whyNoPostgres } from '../../../support/postgres/cluster.ts'

const ports: readonly [string, number][] = [
  ['postgres://u@localhost/d', 5432],
  ['postgres://u@localhost:80/d', 80],
  ['postgres://u@localhost:443/d', 443],
  ['postgres://u@localhost:6543/d', 6543],
]

test.each(ports)('%s names port %d', (url, port) => {
  expect(serversOf({ url })).toMatchObject([{ port }])
})

describe.skipIf(whyNoPostgres !== undefined)(`lanes ${whyNoPostgres ?? ''}`, () => {
  const open = () =>
    new Lanes({ primary: new Primary(serversOf({ url: databaseUrl() ?? '' })), connections: 1, statementMs: 5000 })

  test('a connection that the server ends is not used again', async () => {
    const lanes = open()
    const ended = await lanes.query('SELECT pg_terminate_backend(pg_backend_pid())').catch((error: unknown) => error)
    expect(failureKind(ended)).toBe('away')
    expect((await lanes.query<{ one: number }>('SELECT 1 AS one'))[0]).toEqual({ one: 1 })
    await lanes.close()
  })

  test('a transaction that waits too long fails as away', async () => {
    const lanes = open()
    const failed = lanes.transaction(async (statements) => {
      await statements.query("SET LOCAL idle_in_transaction_session_timeout = '50ms'")
      const { promise, resolve } = Promise.withResolvers<void>()
      setTimeout(resolve, 300)
      await promise
      await statements.query('SELECT 1')
    })
    expect(failureKind(await failed.catch((error: unknown) => error))).toBe('away')
    expect((await lanes.query<{ one: number }>('SELECT 1 AS one'))[0]).toEqual({ one: 1 })
    await lanes.close()
  })
})
