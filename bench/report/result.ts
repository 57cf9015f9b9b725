/** Rows as data. */

import type { Result } from './result-schema.ts'
import { type Figure, isMet, type Row } from './row.ts'

export function resultOf(chapter: string, row: Row): Result {
  const { name, operation, size = null, measured, limit, judged, unit, goal } = row
  return {
    chapter,
    name,
    operation,
    size,
    value: measured.value,
    unit: measured.unit,
    ...limitOf(limit),
    ratio: judged !== undefined && unit === 'x' ? judged.median : null,
    judged: judged === undefined ? null : { ...judged, unit },
    goal: goal === undefined ? null : { kind: goal.kind, bound: goal.bound, unit },
    ok: isMet(row) ?? null,
    explained: goal?.explained ?? null,
  }
}

function limitOf(limit: Figure | string | undefined): Pick<Result, 'limit' | 'limitUnit' | 'limitTitle' | 'missing'> {
  if (typeof limit !== 'object') return { limit: null, limitUnit: null, limitTitle: null, missing: limit ?? null }
  const { title, value, unit, at } = limit
  const limitTitle = title ?? (at === undefined ? null : `at ${at}`)
  return { limit: value, limitUnit: unit, limitTitle, missing: null }
}
