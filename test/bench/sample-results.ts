import { headlines } from '../../bench/report/headlines.ts'
import type { Result, Results } from '../../bench/report/result-schema.ts'
import { MACHINE } from './example-rows.ts'

/** A result that says nothing but what is given. */
export function result(given: Partial<Result> & Pick<Result, 'chapter' | 'name'>): Result {
  return {
    operation: given.name,
    size: null,
    value: 10,
    unit: 'us CPU',
    limit: 8,
    limitUnit: 'us CPU',
    limitTitle: 'Bun.serve',
    missing: null,
    ratio: null,
    judged: null,
    goal: null,
    ok: null,
    explained: null,
    ...given,
  }
}

/** Every headline, at 0.8 of its limit. */
export function headlineSample(): Result[] {
  return headlines.map(({ chapter, name }) =>
    result({
      chapter,
      name,
      ratio: 0.8,
      judged: { median: 0.8, min: 0.75, max: 0.85, unit: 'x' },
      goal: { kind: 'at least', bound: 0.7, unit: 'x' },
      ok: true,
    }),
  )
}

export function sample(results: readonly Result[]): Results {
  return { machine: MACHINE, results: [...results] }
}
