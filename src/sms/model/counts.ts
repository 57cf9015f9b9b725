import type { State } from './report.ts'

/** What is counted: messages by state, reports by outcome, final states returned to clients. */
export const COUNT_NAMES = [
  'notSent',
  'sending',
  'delivered',
  'failed',
  'reportsAccepted',
  'reportsRepeated',
  'reportsContradicting',
  'reportsLate',
  'reportsUnknown',
  'statusesReturned',
] as const

export type CountName = (typeof COUNT_NAMES)[number]
export type Counts = Readonly<Record<CountName, number>>

/** Name of the count of messages in each state. */
export const STATE_COUNTS = ['notSent', 'sending', 'delivered', 'failed'] as const satisfies readonly CountName[]

/** Changes of counts that one transaction gathers. */
export class Tally {
  readonly #by = new Map<CountName, number>()

  add(name: CountName, by = 1): void {
    this.#by.set(name, (this.#by.get(name) ?? 0) + by)
  }

  /** Counts a message that goes from one state to another. */
  move(from: State, to: State): void {
    this.add(STATE_COUNTS[from], -1)
    this.add(STATE_COUNTS[to])
  }

  /** The counts that change, and by how much. */
  *changes(): Generator<readonly [name: CountName, by: number]> {
    for (const change of this.#by) if (change[1] !== 0) yield change
  }
}
