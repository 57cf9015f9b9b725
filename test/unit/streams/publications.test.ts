import { expect, test } from 'bun:test'
import { Database } from '../../../src/database/database.ts'
import type { EventBatch } from '../../../src/hub/event-batch.ts'
import type { PublishingTurns } from '../../../src/hub/publications.ts'
import { databaseSettings } from '../../support/database-settings.ts'
import { openTestStore } from '../../support/engine.ts'
import { turns } from '../../support/store.ts'
import { tempDir } from '../../support/temp-dir.ts'

/** Small writes that are answered while a delivery waits, at least and at most. */
const [LEAST_ANSWERED, MOST_ANSWERED] = [32, 128]

/** Publications that wait for the test after their first step. */
class HeldTurns implements PublishingTurns {
  readonly #released = Promise.withResolvers<void>()
  #isHeld = true

  readonly isEnough = () => this.#isHeld
  readonly pause = () => this.#released.promise

  release(): void {
    this.#isHeld = false
    this.#released.resolve()
  }
}

test('writes are answered before their delivery, but neither a large one nor very many', async () => {
  await using dir = await tempDir()
  await using store = await openTestStore(dir.file('tree'), {})
  const publishing = new HeldTurns()
  const streams = { ...databaseSettings.streams, publishing }
  const database = new Database(store, { ...databaseSettings, streams })
  const events: string[] = []
  const sink = {
    write: (batch: EventBatch) => void events.push(...batch.events.map(({ path }) => path)),
    keepAlive: () => {},
    end: () => {},
    abort: () => {},
  }
  await database.subscribe('/list', {}, sink)
  const answered: string[] = []
  const put = (path: string, value: unknown) => database.put(path, value).then(() => answered.push(path))
  const small = Array.from({ length: 2 * MOST_ANSWERED }, (_, index) => put(`/list/${index}`, index))
  await database.settled()
  await turns(20)
  expect(events).toEqual(['/'])
  expect(answered.length).toBeGreaterThanOrEqual(LEAST_ANSWERED)
  expect(answered.length).toBeLessThanOrEqual(MOST_ANSWERED)
  const large = put('/elsewhere', 'x'.repeat(1_000_000))
  await database.settled()
  await turns(20)
  expect(answered).not.toContain('/elsewhere')
  // What is read is durable, whether listeners have it or not.
  expect(await database.get('/list/0')).toBe(0)
  publishing.release()
  await Promise.all([...small, large])
  expect(events).toEqual(['/', ...small.map((_, index) => `/${index}`)])
})
