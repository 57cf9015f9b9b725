/** What something costs where there is most, in units of what it costs where there is least. */
import { ratios, spread } from '../harness/rounds.ts'
import { size } from './numbers.ts'
import { figure, type Row } from './row.ts'

/** What was measured in every round where there is so much. */
interface Sampled {
  readonly count: number
  readonly values: readonly number[]
}

/** @param unit of both, such as `us CPU` */
export function growthOf(
  small: Sampled,
  large: Sampled,
  unit: string,
): Pick<Row, 'size' | 'measured' | 'limit' | 'judged' | 'unit'> {
  return {
    size: undefined,
    measured: { ...figure(large.values, unit), at: size(large.count) },
    limit: { ...figure(small.values, unit), at: size(small.count) },
    judged: spread(ratios(large.values, small.values)),
    unit: 'x',
  }
}
