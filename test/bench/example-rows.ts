/** Rows as parts make them, and the machine they were measured on. */
import type { Machine } from '../../bench/report/result-schema.ts'
import type { Row } from '../../bench/report/row.ts'

export const MACHINE: Machine = {
  model: 'Example 3000',
  cores: 2,
  memoryBytes: 8_000_000_000,
  kernel: '6.1.0',
  bun: '1.4.5',
  date: '2026-11-21',
}

/** A ratio that has to be large, with requests per second beside. */
export const REACHED: Row = {
  name: 'read hot 10k',
  operation: 'GET hot',
  size: 10_000,
  measured: { value: 24.68, unit: 'us CPU', beside: { value: 26_642, unit: '/s' } },
  limit: { title: 'Bun.serve', value: 11, unit: 'us CPU', beside: { value: 44_744, unit: '/s' } },
  judged: { median: 0.45, min: 0.4, max: 0.5 },
  unit: 'x',
  goal: { kind: 'at least', bound: 0.45 },
}

/** A time that has to be short. */
export const MISSED: Row = {
  name: 'turn',
  operation: 'longest turn',
  size: undefined,
  measured: { value: 12.5, unit: 'ms' },
  limit: { title: 'idle', value: 0, unit: 'ms' },
  judged: { median: 12.5, min: 9, max: 111 },
  unit: 'ms',
  goal: { kind: 'at most', bound: 10 },
}

export const EXPLAINED: Row = {
  ...MISSED,
  name: 'growth',
  operation: 'growth',
  measured: { value: 4970, unit: 'us CPU', at: '1M leaves' },
  limit: { value: 200, unit: 'us CPU', at: '10k' },
  judged: { median: 24.85, min: 0.004, max: 30 },
  unit: 'x',
  goal: { kind: 'at most', bound: 1.3, explained: 'Growth', why: 'a large tree' },
}

/** Nothing is there to compare with. */
export const ALONE: Row = {
  name: 'nchan',
  operation: 'deliver against nchan',
  size: 1000,
  measured: { value: 7.86, unit: 'ms', beside: { title: 'p50', value: 3.21, unit: 'ms' } },
  limit: 'nchan is not installed',
  judged: undefined,
  unit: 'x',
  goal: { kind: 'at least', bound: 1 },
}

/** A rate beside no limit, that nothing is wanted of. */
export const PLAIN: Row = {
  name: 'rate',
  operation: 'reports',
  size: 1_000_000,
  measured: { value: 57.5, unit: '/s' },
  limit: undefined,
  judged: { median: 57.5, min: 57.5, max: 57.5 },
  unit: 'reports/s',
}

export const ROWS = [REACHED, MISSED, EXPLAINED, ALONE, PLAIN]
