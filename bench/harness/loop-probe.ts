import { openSync, readSync } from 'node:fs'

/** Processor time, time of waiting for a processor, and number of slices of this thread. */
const STATISTICS = '/proc/thread-self/schedstat'

/**
 * Takes the time at every turn of the event loop. It keeps one core busy while it runs. Time in which the thread could
 * have gone on but another program had its core is left out, where the kernel counts it.
 */
export class LoopProbe {
  readonly #statistics = openStatistics()
  readonly #buffer = Buffer.alloc(64)
  #longestMs = 0
  #running = false
  #lastTurn = 0

  start(): void {
    this.#running = true
    this.#lastTurn = this.#now()
    const turn = () => {
      if (!this.#running) return
      this.#measure()
      setImmediate(turn)
    }
    setImmediate(turn)
  }

  /** The longest turn since the last call, in milliseconds. */
  take(): number {
    this.#measure()
    const longestMs = this.#longestMs
    this.#longestMs = 0
    this.#lastTurn = this.#now()
    return longestMs
  }

  stop(): number {
    this.#running = false
    return this.take()
  }

  #measure(): void {
    const now = this.#now()
    this.#longestMs = Math.max(this.#longestMs, now - this.#lastTurn)
    this.#lastTurn = now
  }

  /** Milliseconds by a clock that stands still while the thread waits for a processor. */
  #now(): number {
    if (this.#statistics === undefined) return performance.now()
    const length = readSync(this.#statistics, this.#buffer, 0, this.#buffer.length, 0)
    const [, waited = '0'] = this.#buffer.toString('latin1', 0, length).split(' ')
    return performance.now() - Number(waited) / 1_000_000
  }
}

function openStatistics(): number | undefined {
  try {
    return openSync(STATISTICS, 'r')
  } catch {
    return undefined
  }
}
