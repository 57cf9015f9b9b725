import type { Awaitable } from './awaitable.ts'
import type { Steps } from './steps.ts'

/** Longest time that one piece of work blocks the event loop, in milliseconds. */
const HOLD_MS = 5

/**
 * Runs steps until the work is done or `HOLD_MS` have passed.
 * @param isEnough ends the turn earlier
 * @returns `undefined` when steps are left
 */
export function runBriefly<T>(steps: Steps<T>, isEnough?: () => boolean): IteratorReturnResult<T> | undefined {
  const end = performance.now() + HOLD_MS
  for (;;) {
    const step = steps.next()
    if (step.done) return step
    if (performance.now() > end || isEnough?.()) return undefined
  }
}

/**
 * Runs the remaining steps in turns of the event loop, after all other waiting work.
 * @param check called before each turn; an error ends the work
 */
export async function runInTurns<T>(steps: Steps<T>, check: () => void = () => {}): Promise<T> {
  for (;;) {
    await new Promise(setImmediate)
    check()
    const finished = runBriefly(steps)
    if (finished !== undefined) return finished.value
  }
}

/** Runs short work at once, and longer work in several turns of the event loop. */
export function inTurns<T>(steps: Steps<T>): Awaitable<T> {
  const finished = runBriefly(steps)
  return finished === undefined ? runInTurns(steps) : finished.value
}

/** @returns a function for a long loop to await in each round: it pauses once `HOLD_MS` have passed */
export function pauser(): () => Awaitable<void> {
  let since = performance.now()
  return () => {
    if (performance.now() - since < HOLD_MS) return
    return new Promise((resolve) =>
      setImmediate(() => {
        since = performance.now()
        resolve()
      }),
    )
  }
}
