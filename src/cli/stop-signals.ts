/** Signals of one Ctrl-C, forwarded by several parents, come within this time. */
const REPEAT_MS = 2000

/** What signals ask of a server, each 2 seconds after the one before or later. */
export interface StopSignals {
  /** Resolves at the first: finish what is under way and end. */
  readonly stopped: Promise<void>
  /** Resolves at the second: do not wait for requests under way. */
  readonly hurried: Promise<void>
  /** Resolves at the third: end at once. */
  readonly forced: Promise<void>
}

/**
 * Takes SIGINT and SIGTERM for the rest of the process: they do not end it any more. A terminal sends SIGINT to its
 * whole process group, and `npx` and `bun` forward theirs, so that one Ctrl-C arrives here several times.
 * @param now milliseconds of a clock that does not go back
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
