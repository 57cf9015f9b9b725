/** What is told of one operation: what it costs, beside what it is held against. */
import { type Spread, spread } from '../harness/rounds.ts'

/** One measured figure: the middle of all rounds. */
export interface Figure {
  /** What it is the figure of, where the row does not say it. */
  readonly title?: string
  readonly value: number
  /** `us CPU`, `ms`, `/s`. */
  readonly unit: string
  /** Where: `1M leaves`. */
  readonly at?: string
  /** Measured at the same time: requests per second beside the processor time of one. */
  readonly beside?: Figure
}

/** What a figure should be. */
export interface Goal {
  readonly kind: 'at least' | 'at most'
  readonly bound: number
  /** Where it is known to be missed: the words that the reason begins with in README.md. A run does not fail for it. */
  readonly explained?: string
  /** The same in one line. */
  readonly why?: string
}

export interface Row {
  /** The same in every run, and no other row of the chapter has it. */
  readonly name: string
  readonly operation: string
  /** Leaves of the tree, children of the list, subscribers, rules or applications, messages. */
  readonly size: number | undefined
  readonly measured: Figure
  /** The limit in the same run; why it is missing, such as `nchan is not installed`; `undefined` where there is none. */
  readonly limit: Figure | string | undefined
  /** What is judged: a ratio, a time, or a rate. `undefined` when there was nothing to compare with. */
  readonly judged: Spread | undefined
  /** Of what is judged: `x` for a ratio. */
  readonly unit: string
  readonly goal?: Goal | undefined
}

/** The middle of what was measured in all rounds. */
export function figure(values: readonly number[], unit: string): Figure {
  return { value: spread(values).median, unit }
}

/** `undefined` where there is no goal, or nothing that could reach it. */
export function isMet({ judged, goal }: Row): boolean | undefined {
  if (goal === undefined || judged === undefined) return undefined
  const { median } = judged
  return goal.kind === 'at least' ? median >= goal.bound : median <= goal.bound
}
