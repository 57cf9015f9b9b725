import { expect } from 'bun:test'
import pLimit from 'p-limit'
import { mobiles, pushed, type Status } from '../sms/calls.ts'
import { BEGINNING, begin, type Call, type CallAction, type NewsCall, recordedBy } from './calls.ts'
import { type Attempt, explain, type Sight } from './explain.ts'
import { keyOf, Ledger, receiveTime, type Said } from './ledger.ts'
import { type Action, type End, FLOOD, NAMES, type SmsPlan, type Step } from './plan.ts'
import { newsRequest } from './requests.ts'
import { type Exported, Service } from './service.ts'
import { Tellings } from './tellings.ts'
import { type Received, WireCall } from './wire-call.ts'
import { Witness } from './witness.ts'

const MOST_IN_BATCH = 100
/** Batches that are recorded at once. */
const AT_ONCE = 8
const MADE_RRID = /^[0-9a-f]{18}$/
/**
 * The server holds the end of an answer back for 20 ms after all else of it has been confirmed. A client that has gone
 * away less than this after it asked cannot have been sent the end.
 */
const SURELY_BEFORE_END_MS = 15
/** What nobody has been told must be told within this time: a server that takes longer has lost it. */
const PATIENCE_MS = 10_000
/** A record within an answer that has broken off. */
const RECORD = /\{"status":\d[^{}]*\}/g

const stats: Record<string, number> = {}
const count=(n:string,by=1)=>{stats[n]=(stats[n]??0)+by}
export const printStats=()=>console.log(JSON.stringify(stats,null,1))
const clock=async<T>(n:string,p:Promise<T>):Promise<T>=>{const a=performance.now();const r=await p;count('ms '+n,performance.now()-a);return r}
/** The moment at which a process ends. */
class Ending {
  isBegun = false
  readonly #end: End | null
  readonly #begin: (how: End['how']) => void
  #seen = 0

  constructor(end: End | null, begin: (how: End['how']) => void) {
    this.#end = end
    this.#begin = begin
  }

  see(): void {
    this.#seen++
    if (this.#end?.after === this.#seen) this.begin()
  }

  begin(): void {
    if (this.isBegun || this.#end === null) return
    this.isBegun = true
    this.#begin(this.#end.how)
  }
}

/** What came of the calls of a step. */
class Results {
  readonly attempts: Attempt[] = []
  readonly sights: Sight[] = []
  readonly news: (readonly [call: NewsCall, received: Received])[] = []
  /** Whether a call that writes has succeeded. */
  hasWritten = false
}

/** A server, the model of what it knows, and what is done to both. */
export class Scene {
  readonly #service: Service
  readonly #ledger = new Ledger()
  readonly #tellings = new Tellings()
  readonly #witness = new Witness()
  /** Batches for which the server has made a name that has not come through, by their numbers. */
  readonly #nameless = new Set<string>()
  #stalled: NewsCall[] = []
  /**
   * Messages that may have been in an answer whose client went away when the end may have been on its way to it: the gap
   * that the protocol admits. The server may take them for told.
   */
  readonly #inGap = new Set<string>()
  /** Whether a call that has broken off, or stands still, may have what nobody else is given. */
  #mayBeLeased = false
  /** Whether a call has broken off: after that, what is left may come in several answers. */
  #isBroken = false

  private constructor(service: Service) {
    this.#service = service
  }

  /** @param dataDir an empty folder */
  static async begin(dataDir: string): Promise<Scene> {
    return new Scene(await Service.start(dataDir))
  }

  async play({ sizes, flood, steps, end }: SmsPlan): Promise<void> {
    for (const [name, size] of sizes.entries()) await this.#record(NAMES[name] ?? '', mobiles(size))
    if (flood > 0) await clock('flood',this.#flood(flood))
    for (const [number, step] of steps.entries()) await this.#step(step, number)
    await clock('drain',this.#drain())
    await clock('export',this.#expectExport())
    await clock('same',this.#expectSame(end))
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
    const { client } = this.#service
    const batches = Array.from({ length: Math.ceil(count / MOST_IN_BATCH) }, (_, number) => ({
      rrid: `flood-${number}`,
      numbers: mobiles(Math.min(MOST_IN_BATCH, count - number * MOST_IN_BATCH)),
    }))
    await pLimit(AT_ONCE).map(batches, ({ rrid, numbers }) => this.#record(rrid, numbers))
    const names = batches.flatMap(({ rrid, numbers }) => numbers.map((mobile) => ({ rrid, mobile })))
    const time = { receiveTime: receiveTime(BEGINNING) }
    const counts = await client.report(...names.map(({ rrid, mobile }) => pushed(rrid, mobile, 'DELIVRD', time)))
    const said = names.map((name): Said => ({ name, code: 'DELIVRD', isSuccess: true, at: BEGINNING }))
    const { answer, finals } = this.#ledger.apply({ kind: 'report', said, isSpoiled: false })
    expect(JSON.stringify(counts)).toBe(answer)
    this.#tellings.produce([finals])
  }

  async #step({ actions, end }: Step, number: number): Promise<void> {
    const ending = new Ending(end, (how) => {
      this.#service.end(how)
      for (const { wire } of this.#stalled) wire.goOn()
    })
    const isAlone = actions.length === 1 && end === null && !this.#mayBeLeased
    const T0=performance.now()
    const calls = this.#send(actions, number, isAlone, () => ending.see())
    const loose = this.#unstall(actions)
    for (const { wire } of calls) await clock('quiet',wire.quiet)
    if (process.env['SHOW']) console.log((performance.now()-T0).toFixed(0), JSON.stringify(end), actions.map(a=>a.kind+(a.kind==='news'?' '+a.conduct+(a.http2?'2':''):'')).join(', '))
    ending.begin()
    this.#stalled.push(...calls.filter((call) => call.kind === 'news').filter(({ wire }) => wire.isStalled))
    if (ending.isBegun) loose.push(...this.#stalled.splice(0))
    for (const { wire } of loose) wire.goOn()
    const over = [...calls.filter(({ wire }) => !wire.isStalled), ...loose]
    const results = await clock('results',this.#resultsOf([...new Set(over)], end))
    if (end !== null) await clock('restart '+end.how,this.#restart(end.how))
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
      isHuge: isAlone && this.#tellings.untold.size >= FLOOD,
      onSeen,
    }
    const calls = actions.filter((action): action is CallAction => action.kind !== 'unstall')
    return calls.map((action, index) => begin(action, index, situation))
  }

  /** One that stands still goes on, or away. @returns those that do not stand still any more */
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

  async #resultsOf(calls: readonly Call[], end: End | null): Promise<Results> {
    const results = new Results()
    for (const call of calls) {
      const received = await call.wire.ended
      if (call.kind === 'news') {
        results.news.push([call, received])
        continue
      }
      const answer = answerOf(received, end)
      if (call.kind === 'batch') {
        if (answer !== undefined) results.sights.push({ rrid: call.rrid, records: JSON.parse(answer) as Status[] })
      } else {
        const isSuccess = answer?.startsWith('{') === true
        results.hasWritten ||= isSuccess
        if (call.kind === 'write') results.attempts.push({ write: call.write, answer })
        else if (isSuccess) results.attempts.push(namelessAttempt(call.mobiles, answer))
        else this.#nameless.add(call.mobiles.join())
      }
    }
    return results
  }

  async #restart(how: End['how']): Promise<void> {
    await this.#service.ended(how);count('restart '+how)
    await this.#service.startAgain()
    this.#mayBeLeased = false
  }

  /** What every batch is like now, everything being over. */
  async #look(more: Iterable<string>): Promise<readonly Sight[]> {
    const known = this.#ledger.rrids.filter((rrid) => !rrid.startsWith('flood-'))
    const sights: Sight[] = []
    for (const rrid of new Set([...NAMES, ...known, ...more])) {
      sights.push({ rrid, records: await this.#service.client.statuses(rrid) })
    }
    for (const record of sights.flatMap(({ records }) => records)) this.#witnessed(record, true)
    return sights
  }

  /** Brings the model to where the server is. */
  async #learn({ attempts, sights }: Results, number: number): Promise<void> {
    for (const record of sights.flatMap(({ records }) => records)) this.#witnessed(record, false)
    const made = attempts.flatMap(({ write }) => (write.kind === 'record' ? [write.rrid] : []))
    const afterwards = await clock('look',this.#look(made))
    const explanation = explain(this.#ledger, attempts, sights, afterwards)
    count('step'); count('attempts',attempts.length); count('in doubt',attempts.filter(a=>a.answer===undefined).length); if(explanation){count('in doubt done',explanation.done.length-attempts.filter(a=>a.answer!==undefined).length);count('finals',explanation.orders[0]?.length??0);count('orders',explanation.orders.length)}
    if (explanation === undefined) {
      const before = afterwards.map(({ rrid }) => this.#ledger.batch(rrid)).filter((records) => records.length > 0)
      throw new Error(`step ${number}: nothing explains ${print({ before, attempts, sights, afterwards })}`)
    }
    for (const write of explanation.done) this.#ledger.apply(write)
    this.#tellings.produce(explanation.orders)
  }

  /** What the batch query has told in a step. */
  #hear({ news, hasWritten }: Results, end: End | null, isAlone: boolean): void {
    // It was sent after all answers of the steps before had been read.
    if (hasWritten) this.#tellings.keep()
    const untold = [...this.#tellings.untold]
    const whole = news.filter(([, { isWhole, status }]) => isWhole && status === 200)
    for (const [, received] of whole) this.#take(recordsOf(received))
    if (end?.how === 'kill') this.#tellings.crash()
    if (end?.how === 'stop') this.#tellings.keep()
    for (const [call, received] of news) this.#forgo(call, received, untold, end)
    if (isAlone) for (const [, received] of whole) this.#expectAll(recordsOf(received), untold)
    this.#mayBeLeased ||= this.#stalled.length > 0
  }

  #take(records: readonly Status[]): void {
 count('told',records.length); count('repeats',records.filter(r=>this.#tellings.told.includes(keyOf(r))).length);count(records.length>0?'full':'empty')
    for (const record of records) this.#expectTrue(record)
    expect(this.#tellings.take(records)).toBeUndefined()
  }

  /** An answer that has not come whole tells nothing, but what it says is true. */
  #forgo(
    call: NewsCall,
    { text, isWhole, leftAfterMs }: Received,
    untold: readonly string[],
    end: End | null,
  ): void {
    const {isHuge}=call;count(isWhole?'news whole':`news ${(call.wire as any).conduct2()} ${leftAfterMs===undefined?'by server, end '+end?.how:isHuge?'huge':leftAfterMs < SURELY_BEFORE_END_MS?'in time':'late'}`); if (!isWhole && text.length>0) count('partial'); if (isWhole) return
    for (const [part] of text.matchAll(RECORD)) this.#expectTrue(JSON.parse(part) as Status)
    this.#isBroken = true
    if (end === null) this.#mayBeLeased = true
    const isInTime = leftAfterMs !== undefined && (isHuge || leftAfterMs < SURELY_BEFORE_END_MS)
    if (leftAfterMs !== undefined && !isInTime) for (const key of untold) this.#inGap.add(key)
  }

  /** Nobody else had anything, and nothing was done meanwhile: all there was must have been told. */
  #expectAll(records: readonly Status[], untold: readonly string[]): void {
    const told = new Set(records.map(keyOf))
    const left = untold.filter((key) => !told.has(key) && !this.#inGap.has(key))
    count('alone'); count(this.#isBroken?'alone broken':'alone exact'); if (left.length>0) count('alone left')
    if (this.#isBroken) expect(left.length === 0 || records.length > 0).toBe(true)
    else expect(left).toEqual([])
  }

  /** A record that the batch query tells is the final state of its message. */
  #expectTrue(record: Status): void {
    expect(record).toEqual(this.#ledger.message(keyOf(record))?.record as Status)
    expect(record.status).toBeGreaterThan(1)
    this.#witnessed(record, false)
  }

  #witnessed(record: Status, isNow: boolean): void {
    expect(this.#witness.see(record, isNow)).toBeUndefined()
  }

  /** Asks until everybody's end has been told. */
  async #drain(): Promise<void> {
    for (const call of this.#stalled.splice(0)) {
      call.wire.leave()
      this.#forgo(call, await call.wire.ended, [...this.#tellings.untold], null)
    }
    const { untold } = this.#tellings
    const begunAt = performance.now()
    let isEmpty = false
    while (!isEmpty || untold.size > 0) {
      const records = await this.#news()
      this.#take(records)
      isEmpty = records.length === 0
      if (isEmpty && untold.size > 0 && untold.isSubsetOf(this.#inGap)) await this.#forgive()
      if (performance.now() - begunAt > PATIENCE_MS) throw new Error(`never told: ${print([...untold])}`)
    }
  }

  async #news(): Promise<readonly Status[]> {
    const received = await new WireCall(this.#service.listening, newsRequest()).ended
    expect([received.status, received.isWhole]).toEqual([200, true])
    return recordsOf(received)
  }

  /** What fell into the gap is not told any more, if the server takes it for told. */
  async #forgive(): Promise<void> {
 count('forgive')
    const returned = (await this.#service.export()).filter(({ returnedAt }) => returnedAt !== undefined)
    this.#tellings.forgive(returned.map(keyOf).filter((key) => this.#inGap.has(key)))
  }

  /** The export says what everybody was told, and that it was told. */
  async #expectExport(): Promise<void> {
    // What is written after an answer was read is durable after it.
    await this.#record('last', mobiles(1))
    this.#tellings.keep()
    const exported = await this.#service.export()
    const unknown = Map.groupBy(
      exported.filter((record) => this.#ledger.message(keyOf(record)) === undefined),
      ({ rrid }) => rrid,
    )
    for (const [rrid, records] of unknown) this.#expectNameless(rrid, records)
    const known = exported.filter(({ rrid }) => !unknown.has(rrid))
    expect(known.map(keyOf).toSorted()).toEqual(this.#ledger.keys.toSorted())
    for (const record of known) this.#expectExported(record)
    const counts = await this.#service.counts()
    const byState = [0, 1, 2, 3].map((state) => exported.filter(({ status }) => status === state).length)
    expect([counts['notSent'], counts['sending'], counts['delivered'], counts['failed']]).toEqual(byState)
  }

  /** Of those whose name has not come through, each may be there once. */
  #expectNameless(rrid: string, records: readonly Exported[]): void {
    expect(rrid).toMatch(MADE_RRID)
    expect(records.map(({ status }) => status)).toEqual(records.map(() => 0))
    expect(this.#nameless.delete(records.map(({ mobile }) => mobile).join())).toBe(true)
  }

  #expectExported(exported: Exported): void {
    const key = keyOf(exported)
    const known = this.#ledger.message(key)
    expect(`${key} ${exported.status} ${exported.deliveryStatus}`).toBe(`${key} ${known?.status} ${known?.code}`)
    this.#witnessed({ ...exported, receiveTime: '' }, true)
    const isFinal = exported.status > 1
    if (isFinal) expect(exported.receiveTime).toBe(new Date(known?.at ?? 0).toISOString())
    expect([key, exported.producedAt !== undefined, exported.returnedAt !== undefined]).toEqual([key, isFinal, isFinal])
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

/**
 * Text of what a call has answered: data, or the number of an error. `undefined` when no answer came; where the process
 * ends, a refusal of its own is none either.
 */
function answerOf({ status, text, isWhole }: Received, end: End | null): string | undefined {
  if (!isWhole || (end !== null && status === 503)) {
    expect(end).not.toBeNull()
    return undefined
  }
  const { data, errcode } = JSON.parse(text) as { data?: unknown; errcode?: number }
  if (status === 200) return JSON.stringify(data)
  expect([status, text]).toEqual([400, text])
  return String(errcode)
}

function namelessAttempt(numbers: readonly string[], answer: string): Attempt {
  const { rrid } = JSON.parse(answer) as { rrid: string }
  expect(rrid).toMatch(MADE_RRID)
  return { write: { kind: 'record', rrid, mobiles: numbers, ids: [] }, answer }
}

function recordsOf({ text }: Received): readonly Status[] {
  return (JSON.parse(text) as { data: Status[] }).data
}

function print(value: unknown): string {
  return JSON.stringify(value, undefined, 1).slice(0, 20_000)
}
