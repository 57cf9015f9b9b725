/** A row about how long one request holds the loop. */
import { spread } from '../harness/rounds.ts'
import { figure, type Goal, type Row } from '../report/row.ts'

const LONGEST: Goal = { kind: 'at most', bound: 10 }

export function turnRow(
  name: string,
  title: string,
  leaves: number,
  turns: readonly number[],
  idle: readonly number[],
): Row {
  return {
    name,
    operation: `longest turn of the loop, ${title}`,
    size: leaves,
    measured: figure(turns, 'ms'),
    limit: { title: 'idle', ...figure(idle, 'ms') },
    judged: spread(turns),
    unit: 'ms',
    goal: LONGEST,
  }
}
