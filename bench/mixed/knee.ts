/** Where more clients stop being worth their while. */

/** How many times its idle value the 99th percentile of GET may be. */
export const TOLERATED = 10

export interface Concurrency {
  readonly clients: number
  /** 99th percentile of the time a GET takes, in milliseconds. */
  readonly getP99Ms: number
}

/**
 * The last concurrency before GET takes too long for the first time; the first one when it does at once.
 * @param steps by ascending number of clients
 * @param idleP99Ms of one client that only reads
 * @throws when there are no steps
 */
export function kneeOf<S extends Concurrency>(steps: readonly S[], idleP99Ms: number): S {
  const beyond = steps.findIndex(({ getP99Ms }) => getP99Ms > idleP99Ms * TOLERATED)
  const knee = beyond === -1 ? steps.at(-1) : steps[Math.max(beyond - 1, 0)]
  if (knee === undefined) throw new Error('There are no steps')
  return knee
}
