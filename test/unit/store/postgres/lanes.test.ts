import { describe, expect, test } from 'bun:test'
import { serversOf } from '../../../../src/store/postgres/connection/address.ts'
import { failureKind, StatementTimeout } from '../../../../src/store/postgres/connection/database-errors.ts'
import { Lanes } from '../../../../src/store/postgres/connection/lanes.ts'
import { Primary } from '../../../../src/store/postgres/connection/primary.ts'
import { databaseUrl, whyNoPostgres } from '../../../support/postgres/cluster.ts'
import { turns } from '../../../support/store.ts'

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
  const open = (statementMs = 5000) =>
    new Lanes({ primary: new Primary(serversOf({ url: databaseUrl() ?? '' })), connections: 1, statementMs })

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

  test('short statements that wait share a connection, and other work has it after them', async () => {
    const lanes = open()
    const first = await lanes.take()
    const taken: string[] = []
    const take = async (name: string, isShort: boolean) => {
      const use = await lanes.take('other', isShort)
      taken.push(name)
      return use
    }
    const uses = [take('one', true), take('two', true), take('long', false), take('three', true)] as const
    first.release()
    const [one, two] = await Promise.all([uses[0], uses[1]])
    expect([one.lane === first.lane, two.lane === first.lane, taken]).toEqual([true, true, ['one', 'two']])
    one.release()
    one.release()
    await turns(3)
    expect(taken).toEqual(['one', 'two'])
    two.release()
    const long = await uses[2]
    await turns(3)
    expect(taken).toEqual(['one', 'two', 'long'])
    long.release()
    ;(await uses[3]).release()
    await lanes.close()
  })

  test('of statements that share a connection, one that fails leaves the others their answers', async () => {
    const lanes = open()
    const numbers = Array.from({ length: 40 }, (_, at) => at)
    const asked = numbers.map((at) =>
      lanes.short<{ number: number }>(`SELECT ${at % 3 === 0 ? `${at} + ` : ''}20 / $1::int AS number`, [at % 5]).then(
        ([row]) => row?.number,
        (error: unknown) => failureKind(error),
      ),
    )
    const expected = numbers.map((at) => (at % 5 === 0 ? 'bug' : (at % 3 === 0 ? at : 0) + Math.trunc(20 / (at % 5))))
    expect(await Promise.all(asked)).toEqual(expected)
    await lanes.close()
  })

  test('a statement that is not answered in time fails with those that share its connection; others get a new one', async () => {
    const lanes = open(500)
    await lanes.query('SELECT 1')
    const { lane, release } = await lanes.take()
    const asked = ['SELECT pg_sleep($1::int)', 'SELECT $1::int'].map((text) => lane.query(text, [60]))
    const failures = await Promise.all(asked.map((each) => each.catch((error: unknown) => error)))
    expect(failures.map((error) => failureKind(error))).toEqual(['away', 'away'])
    expect(failures[0]).toBeInstanceOf(StatementTimeout)
    release()
    expect((await lanes.query<{ one: number }>('SELECT 1 AS one'))[0]).toEqual({ one: 1 })
    await lanes.close()
  })
})
