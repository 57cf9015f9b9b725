import type { Awaitable } from './awaitable.ts'
import { loopTurn } from './loop-turn.ts'
import type { Steps } from './steps.ts'

/**
 * Runs steps, at least one, until the work is done or the time for long work in this turn of the event loop is over.
 * @param isEnough ends the turn earlier
 * @returns `undefined` when steps are left
 */
export function runBriefly<T>(steps: Steps<T>, isEnough?: () => boolean): IteratorReturnResult<T> | undefined {
  for (;;) {
    const step = steps.next()
    if (step.done) return step
    if (loopTurn.isOver || isEnough?.()) return undefined
  }
}

/**
 * Runs the remaining steps in turns of the event loop, which it shares with all other long work.
 * @param check called before each turn; an error ends the work
 */
export async function runInTurns<T>(steps: Steps<T>, check: () => void = () => {}): Promise<T> {
  for (let isFresh = true; ; isFresh = false) {
    await loopTurn.pause(isFresh)
    check()
    const finished = runBriefly(steps)
    if (finished !== undefined) return finished.value
  }
}

/** Runs short work at once, and longer work in several turns of the event loop. */
export function inTurns<T>(steps: Steps<T>): Awaitable<T> {
  const finished = loopTurn.hasBegun && loopTurn.isOver ? undefined : runBriefly(steps)
  return finished === undefined ? runInTurns(steps) : finished.value
}
