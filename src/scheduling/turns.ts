import type { Awaitable } from './awaitable.ts'
import type { Steps } from './steps.ts'

/** Longest time the event loop is held at a stretch by one long piece of work, in milliseconds. */
const HOLD_MS = 5

/**
 * Runs steps until the work is done or has held the loop long enough.
 * @param isEnough ends the stretch earlier
 * @returns `undefined` when there is more to do
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
 * Runs the rest of the work, giving way to everything else that waits before each stretch.
 * @param check called before each stretch; what it throws ends the work
 */
export async function runInTurns<T>(steps: Steps<T>, check: () => void = () => {}): Promise<T> {
  for (;;) {
    await new Promise(setImmediate)
    check()
    const finished = runBriefly(steps)
    if (finished !== undefined) return finished.value
  }
}

/** Runs the work at once where it is short, and in several turns of the event loop where it is not. */
export function inTurns<T>(steps: Steps<T>): Awaitable<T> {
  const finished = runBriefly(steps)
  return finished === undefined ? runInTurns(steps) : finished.value
}

/** @returns to be awaited again and again by a long loop: lets everything else run where the loop was held long enough */
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
