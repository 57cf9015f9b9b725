import type { Observer } from '../../../src/observer.ts'
import { BatchFormat } from '../../../src/sms/format/batch-format.ts'
import { ReceiveTime } from '../../../src/sms/format/receive-time.ts'
import type { MessageStore } from '../../../src/sms/message-store.ts'
import type { SeqRange } from '../../../src/sms/model/final-seq.ts'
import { PostgresMessageStore } from '../../../src/sms/postgres/postgres-message-store.ts'
import type { PostgresDatabase } from '../../../src/store/postgres/postgres-database.ts'
import { PostgresStore } from '../../../src/store/postgres/postgres-store.ts'
import { strictObserver } from '../store.ts'

export const EAST = new BatchFormat(new ReceiveTime('+08:00'))

/** The messages of an application. */
export interface OpenMessages extends AsyncDisposable {
  readonly tree: PostgresStore
  readonly store: PostgresMessageStore
  close(): Promise<void>
}

export interface OpenOptions {
  readonly format?: BatchFormat
  readonly observer?: Observer
  readonly waitMs?: number
  /** Called with what the store survives. Default: the test fails. */
  readonly onError?: (error: unknown) => void
}

export async function openMessages(
  database: PostgresDatabase,
  application: string,
  { format = EAST, observer = strictObserver, waitMs, onError = rethrow }: OpenOptions = {},
): Promise<OpenMessages> {
  const tree = await PostgresStore.open(database, application, { waitMs }, observer)
  const store = new PostgresMessageStore(tree.sideTables, format, onError)
  const close = async () => {
    await store.close()
    await tree.close()
  }
  return { tree, store, close, [Symbol.asyncDispose]: close }
}

/** Records a batch of these messages and reports each as delivered, in order. */
export async function deliver(store: MessageStore, mobiles: readonly string[]): Promise<void> {
  const { rrid } = await store.record({ mobiles })
  await store.report(
    mobiles.map((mobile) => ({ message: { rrid, mobile }, state: 2, code: 'DELIVRD', receivedAt: 1_700_000_000_000 })),
  )
}

/** Leases final states. @returns their telephone numbers, and the range to end the lease with */
export async function leaseOf(
  store: MessageStore,
  limit = 1000,
): Promise<{ readonly mobiles: readonly string[]; readonly ranges: readonly SeqRange[] }> {
  const page = await store.lease(undefined, limit)
  return { mobiles: page?.records.map(({ mobile }) => mobile) ?? [], ranges: page === undefined ? [] : [page.range] }
}

function rethrow(error: unknown): never {
  throw error
}
