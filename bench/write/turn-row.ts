/** A row about how long one request holds the loop. */
import { spread } from '../harness/rounds.ts'
import { type Goal, type Row, short } from '../report/table.ts'

const LONGEST: Goal = { kind: 'at most', bound: 10 }

export function turnRow(title: string, leaves: number, turns: readonly number[], idle: readonly number[]): Row {
  const judged = spread(turns)
  return {
    operation: `longest turn of the loop, ${title}`,
    size: leaves,
    measured: `${short(judged.median)} ms`,
    limit: `idle ${short(spread(idle).median)} ms`,
    judged,
    unit: 'ms',
    goal: LONGEST,
  }
}
