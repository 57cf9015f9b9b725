import { expect } from 'bun:test'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { clientOfProcess } from '../../support/server-process.ts'
import { wide } from '../../support/store.ts'
import { holdBoundMs, startWatchedServer } from '../../support/watched-server.ts'
import { DEAR_RULES } from './dear-rules.ts'

/** Children of a value whose rules take nearly as many steps as a request has. */
const CHILDREN = 220
/** Small writes that show how long the event loop is held otherwise. */
const SMALL_WRITES = 50

/**
 * Sends small writes one after the other while costly ones run, and expects that the event loop is not held.
 * @param costly number of costly writes that run at once
 * @returns number of small writes that were done meanwhile
 */
export async function writesDuring(costly: number): Promise<number> {
  const rules = join(tmpdir(), `dhole-rules-${crypto.randomUUID()}.json`)
  await Bun.write(rules, DEAR_RULES)
  const server = await startWatchedServer({ RULES: rules })
  try {
    const { call } = await clientOfProcess(server)
    const put = async (path: string, value: unknown): Promise<number> =>
      (await call('PUT', path, { body: JSON.stringify(value) })).status
    const small = () => put('/small.json', 1)
    const large = wide(CHILDREN, () => 1)
    const slow = () => put('/list.json', large)
    expect(await slow()).toBe(200)
    const idle = await server.watch(async () => {
      for (let count = 0; count < SMALL_WRITES; count++) await small()
    })
    let done = 0
    const busy = await server.watch(async () => {
      let isOver = false
      const flood = Promise.all(Array.from({ length: costly }, slow)).finally(() => {
        isOver = true
      })
      for (; !isOver; done++) expect(await small()).toBe(200)
      expect(new Set(await flood)).toEqual(new Set([200]))
    })
    expect(busy.longestHoldMs).toBeLessThan(Math.max(holdBoundMs(), 3 * idle.longestHoldMs))
    return done
  } finally {
    await server.stop()
    await rm(rules)
  }
}
