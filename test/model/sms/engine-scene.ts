import { expect } from 'bun:test'
import type { LeasePage, MessageStore } from '../../../src/sms/message-store.ts'
import { seqOf } from '../../../src/sms/model/final-seq.ts'
import type { MessageRecord } from '../../../src/sms/model/message.ts'
import type { EngineAct, PlannedRecord, PlannedReport } from './engine-plan.ts'

const HOUR_MS = 60 * 60 * 1000

/** One engine: the messages of an application, open in some processes at once. */
export interface EngineProcesses {
  /** The messages in a process, whatever its number. */
  store(process: number): MessageStore
  /** Waits until what was released is available to all. */
  released(process: number): Promise<void>
  /** Closes and opens the messages in all processes. */
  reopen(): Promise<void>
}

/** A lease, and which process has it. */
interface Leased {
  readonly page: LeasePage
  readonly process: number
}

/** What happens to the messages in one engine. */
export class EngineScene {
  readonly #engine: EngineProcesses
  readonly #leases: Leased[] = []

  constructor(engine: EngineProcesses) {
    this.#engine = engine
  }

  /** @returns what was told; of an error its code */
  async perform(act: EngineAct, process: number): Promise<unknown> {
    const store = this.#engine.store(process)
    switch (act.kind) {
      case 'record':
        return await told(() => store.record(batchOf(act)))
      case 'report':
        return await told(() => store.report(act.reports.map(reportOf)))
      case 'import':
        return await told(() => store.import(act.records.map(recordOf)))
      case 'lease': {
        const page = await store.lease(undefined, act.limit)
        if (page !== undefined) this.#leases.push({ page, process })
        return page?.records.map(({ mobile, rrid, status, code }) => ({ mobile, rrid, status, code }))
      }
      case 'delete': {
        const now = Date.now()
        const [before, finals] = [now - act.hours * HOUR_MS, seqOf(now - 48 * HOUR_MS)]
        while (await store.deleteOld({ before, finals, returned: Math.min(finals, seqOf(before)) })) {}
        return
      }
      case 'reopen':
        return await this.#reopen()
      default:
        return await this.#end(act)
    }
  }

  /** Everything that can be read. */
  async state(process: number): Promise<unknown> {
    const store = this.#engine.store(process)
    const { records } = await store.export(undefined, 1000)
    const batches: unknown[] = []
    for (const rrid of new Set(records.map((record) => record.rrid))) batches.push(await store.batch(rrid))
    return { records, batches, counts: await store.counts() }
  }

  async #end({ kind, lease }: { readonly kind: 'acknowledge' | 'release'; readonly lease: number }): Promise<unknown> {
    const [leased] = this.#leases.splice(lease % Math.max(1, this.#leases.length), 1)
    if (leased === undefined) return
    const { page, process } = leased
    if (kind === 'acknowledge') {
      return await told(() => this.#engine.store(process).acknowledge([page.range], page.records.length))
    }
    this.#engine.store(process).release([page.range])
    return await this.#engine.released(process)
  }

  async #reopen(): Promise<void> {
    await this.#engine.reopen()
    // Leases end with their process.
    this.#leases.length = 0
  }
}

async function told(work: () => Promise<unknown>): Promise<unknown> {
  try {
    return await work()
  } catch (error) {
    expect(error).toHaveProperty('code')
    return (error as { readonly code: string }).code
  }
}

function batchOf({ batch, size, ids }: Extract<EngineAct, { kind: 'record' }>) {
  const mobiles = Array.from({ length: size }, (_, at) => `${at}`)
  return {
    rrid: `r${batch}`,
    mobiles,
    messageIds: ids === null ? undefined : mobiles.map((_, at) => `id${(ids + at) % 31}`),
  }
}

function reportOf({ id, batch, mobile, state }: PlannedReport) {
  return {
    message: id === null ? { rrid: `r${batch}`, mobile: `${mobile}` } : { messageId: `id${id}` },
    state,
    code: `CODE${state}`,
    receivedAt: Date.now(),
  }
}

function recordOf({ batch, mobile, state, id, hoursAgo, isReturned }: PlannedRecord): MessageRecord {
  const at = Date.now() - hoursAgo * HOUR_MS
  return {
    rrid: `r${batch}`,
    mobile: `${mobile}`,
    status: state,
    deliveryStatus: state === 0 ? '' : `"${state}`,
    submittedAt: at,
    ...(state === 0 ? {} : { receivedAt: at }),
    ...(id === null ? {} : { messageId: `id${id}` }),
    ...(state > 1 && isReturned ? { returnedAt: at } : {}),
  }
}
