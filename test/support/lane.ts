import { test } from 'bun:test'

/**
 * The lane this file runs in. `x.test.ts` is of the short lane. `x.long.ts` imports `long-lane.ts` and then `x.test.ts`,
 * which runs the same tests with the numbers of the long lane, and so does `TEST_LANE=long`.
 */
let isLong = process.env['TEST_LANE'] === 'long'
const TIMES = Number(process.env['TEST_RUNS'] ?? 1)

export function enterLongLane(): void {
  isLong = true
}

/** What the lane of this file uses: a size, or a list of cases. */
export function inLanes<T>(short: T, long: T): T {
  return isLong ? long : short
}

/** A number of random runs, rounds or images of the long lane, which `TEST_RUNS` multiplies. */
export function longRuns(count: number): number {
  return Math.ceil(count * TIMES)
}

/** The same where the short lane has some of them. */
export function runsInLanes(short: number, long: number): number {
  return isLong ? longRuns(long) : short
}

/** All of many cases in the long lane; in the short one the first of each `of`. */
export function someInLanes<T>(cases: readonly T[], of: number): T[] {
  return cases.filter((_, index) => isLong || index % of === 0)
}

/** Defines a test of the long lane alone. @param timeoutMs default: that of the lane */
export function longTest(name: string, run: () => Promise<void>, timeoutMs?: number): void {
  if (isLong) test(name, run, timeoutMs)
}
