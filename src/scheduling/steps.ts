/** Work that pauses between bounded steps, so that its caller can run other work in between. */
export type Steps<T> = Generator<void, T>

/** Runs all steps without a pause. */
export function drain<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}

/** Work that is a single step: it yields nothing, so it may stand for steps of every kind. */
export function* atOnce<T>(work: () => T): Generator<never, T> {
  yield* []
  return work()
}
