/** Work that pauses between bounded pieces, so that whoever runs it can let others run. */
export type Steps<T> = Generator<void, T>

/** Runs the work to its end without a pause. */
export function drain<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}

/** Work of a single step. */
export function* atOnce<T>(work: () => T): Steps<T> {
  yield* []
  return work()
}
