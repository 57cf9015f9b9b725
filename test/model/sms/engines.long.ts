import '../../support/long-lane.ts'
import { afterAll, afterEach, beforeAll, describe, expect, setSystemTime, test } from 'bun:test'
import fc from 'fast-check'
import { silentObserver } from '../../../src/observer.ts'
import { SqliteMessageStore } from '../../../src/sms/sqlite/sqlite-message-store.ts'
import { PostgresDatabase } from '../../../src/store/postgres/postgres-database.ts'
import { SqliteStore } from '../../../src/store/sqlite/sqlite-store.ts'
import { longRuns } from '../../support/lane.ts'
import { byClockOfTests } from '../../support/postgres/clock.ts'
import { databaseUrl, freshSchema, whyNoPostgres } from '../../support/postgres/cluster.ts'
import { type Fault, faulty } from '../../support/postgres/faulty-lanes.ts'
import { EAST, openMessages } from '../../support/postgres/messages.ts'
import { tempDir } from '../../support/temp-dir.ts'
import { anyEnginePlan, type EngineStep } from './engine-plan.ts'
import { type EngineProcesses, EngineScene } from './engine-scene.ts'

const RUNS = Number(process.env['SMS_ENGINE_RUNS'] ?? longRuns(80))
const START = Date.parse('2026-03-01T12:00:00Z')
const MINUTE_MS = 60 * 1000

let applications = 0

describe.skipIf(whyNoPostgres !== undefined)(whyNoPostgres ?? 'text messages on SQLite and on PostgreSQL', () => {
  const schema = freshSchema()
  const databases: PostgresDatabase[] = []
  beforeAll(async () => {
    for (let process = 0; process < 2; process++) {
      databases.push(await PostgresDatabase.open({ url: databaseUrl() ?? '', schema }))
    }
  })
  afterAll(async () => {
    for (const database of databases) await database.close()
  })
  afterEach(() => {
    setSystemTime()
  })

  test(
    'one process with a file and two with a database tell the same, whatever the database does',
    () => fc.assert(fc.asyncProperty(anyEnginePlan, play), { numRuns: RUNS }),
    RUNS * 20_000,
  )

  async function play(plan: readonly EngineStep[]): Promise<void> {
    await using dir = await tempDir()
    await using file = fileEngine(dir.file('messages'))
    const faults: Fault[] = []
    await using shared = await sharedEngine(faults)
    const [expected, actual] = [new EngineScene(file), new EngineScene(shared)]
    let now = START
    for (const { act, process, fault, minutes } of plan) {
      now += minutes * MINUTE_MS
      setSystemTime(new Date(now))
      faults.length = 0
      if (fault !== null) faults.push(fault)
      const told = await actual.perform(act, process)
      faults.length = 0
      expect(told).toEqual(await expected.perform(act, process))
      expect(await actual.state(1 - process)).toEqual(await expected.state(process))
    }
  }

  function fileEngine(path: string): EngineProcesses & AsyncDisposable {
    let tree = new SqliteStore(path, {}, silentObserver)
    let store = new SqliteMessageStore(tree.sideTables, EAST)
    return {
      store: () => store,
      released: async () => {},
      reopen: async () => {
        await tree.close()
        tree = new SqliteStore(path, {}, silentObserver)
        store = new SqliteMessageStore(tree.sideTables, EAST)
      },
      [Symbol.asyncDispose]: () => tree.close(),
    }
  }

  async function sharedEngine(faults: Fault[]): Promise<EngineProcesses & AsyncDisposable> {
    applications++
    const name = `application ${applications}`
    const open = () =>
      Promise.all(databases.map((database) => openMessages(byClockOfTests(faulty(database, faults)), name)))
    let processes = await open()
    const close = () => Promise.all(processes.map((each) => each.close()))
    const of = (process: number) => processes[process % processes.length]!
    return {
      store: (process) => of(process).store,
      released: (process) => of(process).store.close(),
      reopen: async () => {
        await close()
        processes = await open()
        // Each frees what it had leased before.
        await Promise.all(processes.map(({ store }) => store.lease(Number.MAX_SAFE_INTEGER - 1, 1)))
      },
      [Symbol.asyncDispose]: async () => {
        await close()
      },
    }
  }
})
