import { expect } from 'bun:test'
import type { Status } from '../../protocol/sms/calls.ts'
import type { NewsCall } from './calls.ts'
import { keyOf, type Ledger } from './ledger.ts'
import type { End } from './plan.ts'
import { Tellings } from './tellings.ts'
import type { Received } from './wire-call.ts'
import { Witness } from './witness.ts'

/** What came of a call of the batch query. */
export type Heard = readonly [call: NewsCall, received: Received]

/**
 * The server holds the end of an answer back for 20 ms after all else of it has been confirmed. A client that has gone
 * away less than this after it asked cannot have been sent the end.
 */
const SURELY_BEFORE_END_MS = 15
/** A record within an answer that has broken off. */
const RECORD = /\{"status":\d[^{}]*\}/g

/** Those who are told what became of messages, and what they expect to be told. */
export class Audience {
  readonly tellings = new Tellings()
  readonly #ledger: Ledger
  readonly #witness = new Witness()
  /**
   * Messages that may have been in an answer of which the system of the client may have had the end, but not the client:
   * it went away that moment, or stood still and lost the connection. The gap that the protocol admits: the server may
   * take them for told.
   */
  readonly #inGap = new Set<string>()
  /** Whether a call that has broken off may still have what nobody else is given. */
  #mayBeLeased = false
  /** Whether a call has broken off: after that, what is left may come in several answers. */
  #isBroken = false

  /** @param ledger what is true */
  constructor(ledger: Ledger) {
    this.#ledger = ledger
  }

  /** Whether all that nobody was told of may be had for the asking. */
  get isAllFree(): boolean {
    return !this.#mayBeLeased
  }

  /** Messages of which nobody was told, and nobody may be: what is not among them must come. */
  get gap(): readonly string[] {
    return [...this.tellings.untold].filter((key) => this.#inGap.has(key))
  }

  /** What the batch query has told in a step. @param end of the process, if it ended with the step */
  hear(heard: readonly Heard[], end: End | null): void {
    const untold = [...this.tellings.untold]
    for (const [, received] of heard) if (received.isWhole && received.status === 200) this.take(recordsOf(received))
    if (end?.how === 'kill') this.tellings.crash()
    if (end?.how === 'stop') this.tellings.keep()
    // Leases are gone with the process.
    if (end !== null) this.#mayBeLeased = false
    for (const [call, received] of heard) this.#forgo(call, received, untold, end)
  }

  /** An answer that was read to its end. */
  take(records: readonly Status[]): void {
    for (const record of records) this.#expectTrue(record)
    expect(this.tellings.take(records)).toBeUndefined()
  }

  /** What somebody was told who was alone: nobody else had anything, so it is all there was. */
  expectAll(records: readonly Status[], untold: readonly string[]): void {
    const told = new Set(records.map(keyOf))
    const left = untold.filter((key) => !told.has(key) && !this.#inGap.has(key))
    if (this.#isBroken && records.length > 0) return
    expect(left).toEqual([])
  }

  /** A record that was told. @param isNow whether it was asked for when everything else was over */
  see(record: Omit<Status, 'receiveTime'>, isNow: boolean): void {
    expect(this.#witness.see(record, isNow)).toBeUndefined()
  }

  /** An answer that has not come whole tells nothing, but what it says is true. */
  #forgo({ isHuge }: NewsCall, received: Received, untold: readonly string[], end: End | null): void {
    const { text, isWhole, leftAfterMs, hasStalled } = received
    if (leftAfterMs === undefined && !hasStalled) expectServed(received, end)
    if (isWhole) return
    for (const [part] of text.matchAll(RECORD)) this.#expectTrue(JSON.parse(part) as Status)
    this.#isBroken = true
    if (end === null) this.#mayBeLeased = true
    const mayHaveEnd = hasStalled || (leftAfterMs !== undefined && leftAfterMs >= SURELY_BEFORE_END_MS)
    if (mayHaveEnd && !isHuge) for (const key of untold) this.#inGap.add(key)
  }

  /** A record that the batch query tells is the final state of its message. */
  #expectTrue(record: Status): void {
    expect(record).toEqual(this.#ledger.message(keyOf(record))?.record as Status)
    expect(record.status).toBeGreaterThan(1)
    this.see(record, false)
  }
}

/** A client that stays gets all of an answer, unless the process is killed; one that stops may take no more calls. */
function expectServed({ status, isWhole, text }: Received, end: End | null): void {
  if (end?.how === 'kill') return
  if (end?.how === 'stop' && (status === 0 || status === 503)) return
  expect({ status, isWhole, end: text.slice(-2) }).toEqual({ status: 200, isWhole: true, end: ']}' })
}

/** The records of an answer. */
export function recordsOf({ text }: Received): readonly Status[] {
  return (JSON.parse(text) as { data: Status[] }).data
}
