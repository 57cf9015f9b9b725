/** Time within which signals count as one Ctrl-C that several parents forward. */
const REPEAT_MS = 2000

/** Steps of stopping a server: one signal each, at least 2 seconds apart. */
export interface StopSignals {
  /** Resolves at the first signal: finish open requests and stop. */
  readonly stopped: Promise<void>
  /** Resolves at the second signal: do not wait for open requests. */
  readonly hurried: Promise<void>
  /** Resolves at the third signal: exit at once. */
  readonly forced: Promise<void>
}

/**
 * Handles SIGINT and SIGTERM from now on: they do not end the process any more. A terminal sends SIGINT to its whole
 * process group, and `npx` and `bun` forward theirs, so one Ctrl-C arrives several times.
 * @param now monotonic clock in milliseconds
 * @see docs/how-to/install.md#stopping
 */
export function takeStopSignals(now: () => number = () => performance.now()): StopSignals {
  const stopped = Promise.withResolvers<void>()
  const hurried = Promise.withResolvers<void>()
  const forced = Promise.withResolvers<void>()
  const steps = [stopped, hurried, forced]
  let lastStepAt = Number.NEGATIVE_INFINITY
  const take = (): void => {
    const takenAt = now()
    if (takenAt - lastStepAt < REPEAT_MS) return
    lastStepAt = takenAt
    steps.shift()?.resolve()
  }
  process.on('SIGTERM', take)
  process.on('SIGINT', take)
  return { stopped: stopped.promise, hurried: hurried.promise, forced: forced.promise }
}
