import { expect } from 'bun:test'
import { TaskLimit } from '../../../src/scheduling/task-limit.ts'
import { mobiles, pushed, type Status } from '../../protocol/sms/calls.ts'
import { Audience, recordsOf } from './audience.ts'
import { BEGINNING, begin, type Call, type CallAction, type NewsCall, recordedBy } from './calls.ts'
import { Ending } from './ending.ts'
import { explain, type Sight } from './explain.ts'
import { keyOf, Ledger, receiveTime, type Said } from './ledger.ts'
import { type Action, type End, FLOOD, NAMES, type SmsPlan, type Step } from './plan.ts'
import { newsRequest } from './requests.ts'
import { MADE_RRID, Results } from './results.ts'
import { type Exported, Service } from './service.ts'
import { WireCall } from './wire-call.ts'

const MOST_IN_BATCH = 100
/** Batches that are recorded at once. */
const AT_ONCE = 8
/** What nobody has been told must be told within this time: a server that takes longer has lost it. */
const PATIENCE_MS = 60_000

/** A server, the model of what it knows, and what is done to both. */
export class Scene {
  readonly #service: Service
  readonly #ledger = new Ledger()
  readonly #audience = new Audience(this.#ledger)
  /** Batches for which the server may have made a name that has not come through, by their numbers. */
  readonly #nameless = new Set<string>()
  /** Calls whose clients stand still. */
  #stalled: NewsCall[] = []

  private constructor(service: Service) {
    this.#service = service
  }

  /** @param dataDir an empty folder */
  static async begin(dataDir: string): Promise<Scene> {
    return new Scene(await Service.start(dataDir))
  }

  async play({ sizes, flood, steps, end }: SmsPlan): Promise<void> {
    for (const [name, size] of sizes.entries()) await this.#record(NAMES[name] ?? '', mobiles(size))
    if (flood > 0) await this.#flood(flood)
    for (const [number, step] of steps.entries()) await this.#step(step, number)
    await this.#drain()
    await this.#expectExport()
    await this.#expectSame(end)
  }

  close(): Promise<void> {
    for (const { wire } of this.#stalled) wire.leave()
    return this.#service.drop()
  }

  async #record(rrid: string, numbers: readonly string[]): Promise<void> {
    await this.#service.client.record(numbers, { rrid })
    this.#ledger.apply({ kind: 'record', rrid, mobiles: numbers, ids: [] })
  }

  /** Many messages, all of them delivered. */
  async #flood(count: number): Promise<void> {
    const batches = Array.from({ length: Math.ceil(count / MOST_IN_BATCH) }, (_, number) => ({
      rrid: `flood-${number}`,
      numbers: mobiles(Math.min(MOST_IN_BATCH, count - number * MOST_IN_BATCH)),
    }))
    const limit = new TaskLimit(AT_ONCE)
    await Promise.all(batches.map(({ rrid, numbers }) => limit.run(() => this.#record(rrid, numbers))))
    const names = batches.flatMap(({ rrid, numbers }) => numbers.map((mobile) => ({ rrid, mobile })))
    const time = { receiveTime: receiveTime(BEGINNING) }
    const reports = names.map(({ rrid, mobile }) => pushed(rrid, mobile, 'DELIVRD', time))
    const counts = await this.#service.client.report(...reports)
    const said = names.map((name): Said => ({ name, code: 'DELIVRD', isSuccess: true, at: BEGINNING }))
    const { answer, finals } = this.#ledger.apply({ kind: 'report', said, isSpoiled: false })
    expect(JSON.stringify(counts)).toBe(answer)
    this.#audience.tellings.produce([finals])
  }

  async #step({ actions, end }: Step, number: number): Promise<void> {
    const ending = new Ending(end, (how) => {
      this.#service.end(how)
      for (const { wire } of this.#stalled) wire.goOn()
    })
    const isAlone = actions.length === 1 && end === null && this.#stalled.length === 0 && this.#audience.isAllFree
    const calls = this.#send(actions, number, isAlone, () => ending.see())
    const loose = this.#unstall(actions)
    for (const { wire } of calls) await wire.quiet
    ending.begin()
    this.#stalled.push(...calls.filter((call) => call.kind === 'news').filter(({ wire }) => wire.isStalled))
    // Nobody stands still while the process ends: a stop would wait for them.
    if (ending.isBegun) loose.push(...this.#stalled.splice(0))
    for (const { wire } of loose) wire.goOn()
    const over = new Set([...calls.filter(({ wire }) => !wire.isStalled), ...loose])
    const results = await Results.of(over, end)
    if (end !== null) await this.#restart(end.how)
    await this.#learn(results, number)
    this.#hear(results, end, isAlone)
  }

  /** Sends all calls at once. */
  #send(actions: readonly Action[], step: number, isAlone: boolean, onSeen: () => void): readonly Call[] {
    const known = this.#ledger.keys.filter((key) => !key.startsWith('flood-'))
    const situation = {
      listening: this.#service.listening,
      step,
      keys: [...new Set([...known, ...actions.flatMap(recordedBy)])],
      isHuge: isAlone && this.#audience.tellings.untold.size >= FLOOD,
      onSeen,
    }
    const calls = actions.filter((action): action is CallAction => action.kind !== 'unstall')
    return calls.map((action, index) => begin(action, index, situation))
  }

  /** Those that stand still go on, or away. @returns the ones that have been asked to */
  #unstall(actions: readonly Action[]): NewsCall[] {
    const loose: NewsCall[] = []
    for (const action of actions) {
      const call = action.kind === 'unstall' ? this.#stalled.shift() : undefined
      if (action.kind !== 'unstall' || call === undefined) continue
      if (action.conduct === 'leave') call.wire.leave()
      loose.push(call)
    }
    return loose
  }

  async #restart(how: End['how']): Promise<void> {
    await this.#service.ended(how)
    await this.#service.startAgain()
  }

  /** What every batch is like now, everything being over. */
  async #look(more: Iterable<string>): Promise<readonly Sight[]> {
    const known = this.#ledger.rrids.filter((rrid) => !rrid.startsWith('flood-'))
    const sights: Sight[] = []
    for (const rrid of new Set([...NAMES, ...known, ...more])) {
      sights.push({ rrid, records: await this.#service.client.statuses(rrid) })
    }
    for (const record of sights.flatMap(({ records }) => records)) this.#audience.see(record, true)
    return sights
  }

  /** Brings the model to where the server is. */
  async #learn({ attempts, sights, nameless }: Results, number: number): Promise<void> {
    for (const record of sights.flatMap(({ records }) => records)) this.#audience.see(record, false)
    for (const numbers of nameless) this.#nameless.add(numbers.join())
    const made = attempts.flatMap(({ write }) => (write.kind === 'record' ? [write.rrid] : []))
    const afterwards = await this.#look(made)
    const explanation = explain(this.#ledger, attempts, sights, afterwards)
    if (explanation === undefined) {
      const before = afterwards.map(({ rrid }) => this.#ledger.batch(rrid)).filter((records) => records.length > 0)
      throw new Error(`step ${number}: nothing explains ${print({ before, attempts, sights, afterwards })}`)
    }
    for (const write of explanation.done) this.#ledger.apply(write)
    this.#audience.tellings.produce(explanation.orders)
  }

  /** What the batch query has told. */
  #hear({ heard, hasWritten }: Results, end: End | null, isAlone: boolean): void {
    // It was sent after the answers of all steps before had been read.
    if (hasWritten) this.#audience.tellings.keep()
    const untold = [...this.#audience.tellings.untold]
    this.#audience.hear(heard, end)
    const [only] = heard
    if (isAlone && only?.[1].isWhole === true) this.#audience.expectAll(recordsOf(only[1]), untold)
  }

  /** Asks until everybody has been told. */
  async #drain(): Promise<void> {
    const left = this.#stalled.splice(0)
    for (const { wire } of left) wire.leave()
    this.#audience.hear((await Results.of(left, null)).heard, null)
    const { tellings } = this.#audience
    const begunAt = performance.now()
    let isEmpty = false
    while (!isEmpty || tellings.untold.size > 0) {
      const records = await this.#news()
      this.#audience.take(records)
      isEmpty = records.length === 0
      if (isEmpty && tellings.untold.size > 0) await this.#forgive(this.#audience.gap)
      if (performance.now() - begunAt > PATIENCE_MS) throw new Error(`never told: ${print([...tellings.untold])}`)
    }
  }

  async #news(): Promise<readonly Status[]> {
    const received = await new WireCall(this.#service.listening, newsRequest()).ended
    expect([received.status, received.isWhole]).toEqual([200, true])
    return recordsOf(received)
  }

  /** What fell into the gap is not told any more, if the server takes it for told. */
  async #forgive(gap: readonly string[]): Promise<void> {
    if (gap.length === 0) return
    const returned = (await this.#service.export()).filter(({ returnedAt }) => returnedAt !== undefined)
    this.#audience.tellings.forgive(returned.map(keyOf).filter((key) => gap.includes(key)))
  }

  /** The export says what everybody was told, and that they were. */
  async #expectExport(): Promise<void> {
    // What is written after an answer was read is durable after it.
    await this.#record('last', mobiles(1))
    this.#audience.tellings.keep()
    const exported = await this.#service.export()
    const isKnown = (record: Exported) => this.#ledger.message(keyOf(record)) !== undefined
    const known = exported.filter(isKnown)
    expect(known.map(keyOf).toSorted()).toEqual(this.#ledger.keys.toSorted())
    for (const record of known) this.#expectExported(record)
    const unknown = exported.filter((record) => !isKnown(record))
    for (const [rrid, records] of Map.groupBy(unknown, (record) => record.rrid)) this.#expectNameless(rrid, records)
    const counts = await this.#service.counts()
    const byState = [0, 1, 2, 3].map((state) => exported.filter(({ status }) => status === state).length)
    expect([counts['notSent'], counts['sending'], counts['delivered'], counts['failed']]).toEqual(byState)
  }

  #expectExported(exported: Exported): void {
    const key = keyOf(exported)
    const known = this.#ledger.message(key)
    expect(`${key} ${exported.status} ${exported.deliveryStatus}`).toBe(`${key} ${known?.status} ${known?.code}`)
    this.#audience.see(exported, true)
    const isFinal = exported.status > 1
    if (isFinal) expect(exported.receiveTime).toBe(new Date(known?.at ?? 0).toISOString())
    expect([key, exported.producedAt !== undefined, exported.returnedAt !== undefined]).toEqual([key, isFinal, isFinal])
  }

  /** Of the batches whose name has not come through, each may be there once. */
  #expectNameless(rrid: string, records: readonly Exported[]): void {
    expect(rrid).toMatch(MADE_RRID)
    expect(records.map(({ status }) => status)).toEqual(records.map(() => 0))
    expect(this.#nameless.delete(records.map(({ mobile }) => mobile).join())).toBe(true)
  }

  /** After an end of the process the file is sound, nobody is told anything anew, and every batch is what it was. */
  async #expectSame(how: End['how']): Promise<void> {
    this.#service.end(how)
    await this.#service.ended(how)
    expect(this.#service.fileProblems()).toEqual(['ok'])
    await this.#service.startAgain()
    expect(await this.#news()).toEqual([])
    for (const { rrid, records } of await this.#look([])) expect(records).toEqual([...this.#ledger.batch(rrid)])
    this.#service.end('stop')
    await this.#service.ended('stop')
  }
}

function print(value: unknown): string {
  return JSON.stringify(value, undefined, 1).slice(0, 20_000)
}
