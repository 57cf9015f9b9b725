import { test } from 'bun:test'
import { playSparsePlan } from './sparse-plan.ts'

test.each([
  [1, false],
  [2, false],
  [3, true],
] as const)(
  'an index with few rows for children without a value answers as the model does, seed %d',
  (seed, isOfOldKind) => playSparsePlan({ seed, writes: 40, isOfOldKind }),
)
