/** A row about what something costs where there is so much of it. */
import { spread } from '../harness/rounds.ts'
import type { Figure, Row } from '../report/row.ts'

/** @param values what is told of, in microseconds of processor time, round by round */
export function sizeRow(
  name: string,
  operation: string,
  size: number,
  measured: Figure,
  values: readonly number[],
): Row {
  return { name, operation, size, measured, limit: 'none', judged: spread(values), unit: 'us CPU' }
}
