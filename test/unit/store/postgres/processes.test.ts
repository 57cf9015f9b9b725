import { expect, test } from 'bun:test'
import type { Statements } from '../../../../src/store/postgres/connection/lane.ts'
import { ProcessRow } from '../../../../src/store/postgres/processes.ts'

/** A database that answers only while it is there. */
class Away {
  #isThere = true
  #back = Promise.withResolvers<void>()
  readonly statements: Statements = {
    query: async <R extends object>() => {
      if (!this.#isThere) await this.#back.promise
      return [{ now: Date.now(), alive: 1 } as unknown as R]
    },
  }

  go(): void {
    this.#isThere = false
  }

  comeBack(): void {
    this.#isThere = true
    this.#back.resolve()
    this.#back = Promise.withResolvers()
  }
}

/** Resolves when a process falls silent. */
function silenceOf(row: ProcessRow): Promise<void> {
  return new Promise((resolve) => {
    const end = row.onSilent(() => {
      end()
      resolve()
    })
  })
}

test('a process that hears nothing falls silent, and tells nothing before it has caught up', async () => {
  const database = new Away()
  const row = await ProcessRow.open(database.statements, { heartbeatMs: 5, silentMs: 500 })
  expect(row.isSilent).toBe(false)
  database.go()
  await silenceOf(row)
  expect(row.isSilent).toBe(true)
  const [failed, worked, heard] = [0, 0, 0].map(() => Promise.withResolvers<boolean>())
  let attempts = 0
  row.onReturn(async () => {
    if (++attempts === 1) {
      failed?.resolve(row.isSilent)
      throw new Error('planned')
    }
    worked?.resolve(row.isSilent)
  })
  row.onHeard(() => heard?.resolve(row.isSilent))
  database.comeBack()
  expect([await failed?.promise, await worked?.promise, await heard?.promise]).toEqual([true, true, false])
  expect(attempts).toBe(2)
  await row.close()
})

test('a process that was stopped for too long notices it before it tells anything', async () => {
  const database = new Away()
  const row = await ProcessRow.open(database.statements, { heartbeatMs: 5, silentMs: 200 })
  let hasEnded = false
  row.onSilent(() => {
    hasEnded = true
  })
  // Nothing runs meanwhile, as in a process that was stopped.
  Bun.sleepSync(300)
  expect(row.isSilent).toBe(true)
  row.check()
  expect(hasEnded).toBe(true)
  const returned = new Promise<boolean>((resolve) => row.onReturn(async () => resolve(row.isSilent)))
  const heard = new Promise<boolean>((resolve) => row.onHeard(() => resolve(row.isSilent)))
  expect([await returned, await heard]).toEqual([true, false])
  await row.close()
})

test('a process whose tables were changed for a later version is silent for good, and says so once', async () => {
  let isChanged = false
  const query = async <R extends object>() => (isChanged ? [] : [{ now: Date.now(), alive: 1 } as unknown as R])
  const outdated = Promise.withResolvers<Error>()
  const times = { heartbeatMs: 5, silentMs: 60_000 }
  const row = await ProcessRow.open({ query }, times, { onOutdated: outdated.resolve })
  isChanged = true
  const { message } = await outdated.promise
  expect(message).toBe('the tables were changed for a later version of dhole: start that version')
  expect(row.isSilent).toBe(true)
  await row.close()
})
