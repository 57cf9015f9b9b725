import { asc, eq, sql } from 'drizzle-orm'
import type { BunSQLiteDatabase } from 'drizzle-orm/bun-sqlite'
import { DholeError } from '../../error.ts'
import type { RecordedBatch } from '../message-store.ts'
import { Tally } from '../model/counts.ts'
import type { Batch } from '../model/message.ts'
import { NOT_SENT } from '../model/message-state.ts'
import { newRrid } from '../model/rrid.ts'
import { addToCounts } from './counts.ts'
import { addMessages } from './message-rows.ts'
import { openMessages } from './open-messages.ts'
import { batch, message } from './schema.ts'
import { bound, direct, perConnection } from './tables.ts'

const statements = perConnection((orm) => ({
  find: direct<readonly [id: number]>(
    orm,
    orm
      .select({ id: batch.id })
      .from(batch)
      .where(eq(batch.rrid, bound('rrid'))),
  ),
  add: orm
    .insert(batch)
    .values({ rrid: sql.placeholder('rrid'), submittedAt: sql.placeholder('submittedAt') })
    .returning({ id: batch.id })
    .prepare(),
  mobiles: orm
    .select({ mobile: message.mobile })
    .from(message)
    .where(eq(message.batchId, bound('batchId')))
    .orderBy(asc(message.position))
    .prepare(),
}))

/** Row id of a batch. */
export function findBatch(orm: BunSQLiteDatabase, rrid: string): number | undefined {
  return statements(orm).find.values({ rrid })[0]?.[0]
}

/** @returns its row id */
export function addBatch(orm: BunSQLiteDatabase, rrid: string, submittedAt: number): number {
  const { id } = statements(orm).add.get({ rrid, submittedAt })
  openMessages(orm).forget(id)
  return id
}

/**
 * Adds a batch; the same batch again changes nothing.
 * @throws `sms-bad-arguments` when there is another batch of that rrid
 */
export function recordBatch(orm: BunSQLiteDatabase, { rrid, mobiles, messageIds }: Batch): RecordedBatch {
  const now = Date.now()
  const known = rrid === undefined ? undefined : findBatch(orm, rrid)
  if (rrid !== undefined && known !== undefined) {
    const stored = statements(orm).mobiles.all({ batchId: known })
    if (stored.length === mobiles.length && stored.every(({ mobile }, at) => mobile === mobiles[at])) {
      return { rrid, isNew: false }
    }
    throw new DholeError('sms-bad-arguments', 'rrid: there is a batch of this rrid with other mobiles')
  }
  const name = rrid ?? unusedRrid(orm, now)
  const batchId = addBatch(orm, name, now)
  addMessages(
    orm,
    mobiles.map((mobile, position) => {
      return { ...NOT_SENT, batchId, position, mobile, messageId: messageIds?.[position] ?? null }
    }),
  )
  const tally = new Tally()
  tally.add('notSent', mobiles.length)
  addToCounts(orm, tally)
  return { rrid: name, isNew: true }
}

function unusedRrid(orm: BunSQLiteDatabase, now: number): string {
  let rrid = newRrid(now)
  while (findBatch(orm, rrid) !== undefined) rrid = newRrid(now)
  return rrid
}
