import type { Awaitable } from '../scheduling/awaitable.ts'
import { loopTurn } from '../scheduling/loop-turn.ts'
import type { Steps } from '../scheduling/steps.ts'
import { runBriefly } from '../scheduling/turns.ts'
import type { NumberedChange } from './topic.ts'

/** When a publication pauses. Replaceable so that a test can plan it. */
export interface PublishingTurns {
  /** Whether a turn ends before its time is over. */
  readonly isEnough?: () => boolean
  /** Resolves in a later turn of the event loop. */
  readonly pause: () => Promise<unknown>
}

const defaultTurns: PublishingTurns = { pause: () => loopTurn.pause() }

/** A publication that takes several turns. */
interface OpenPublication {
  /** Number of its first commit. */
  readonly first: number
  /** Never rejects. */
  readonly delivered: Promise<unknown>
}

/**
 * Publishes changes one after the other: at once where that is short, and else in turns of the event loop. Reads show a
 * commit before its last listener has got it, so what is read must wait for `delivered`.
 */
export class Publications {
  readonly #steps: (changes: readonly NumberedChange[]) => Steps<void>
  readonly #turns: PublishingTurns
  readonly #open: OpenPublication[] = []

  /** @param steps collects changes for their topics, and delivers them */
  constructor(steps: (changes: readonly NumberedChange[]) => Steps<void>, turns: PublishingTurns = defaultTurns) {
    this.#steps = steps
    this.#turns = turns
  }

  /** Publishes changes after all earlier ones. @throws what their steps throw, now or later */
  publish(changes: readonly NumberedChange[]): Awaitable<void> {
    const [change] = changes
    if (change === undefined) return undefined
    const before = this.#open.at(-1)
    const steps = this.#steps(changes)
    if (before === undefined && this.#run(steps)) return undefined
    const publishing = this.#goOn(before?.delivered, steps)
    const ended = () => this.#open.shift()
    this.#open.push({ first: change.seq, delivered: publishing.then(ended, ended) })
    return publishing
  }

  /** Resolves when every commit up to one has been delivered. */
  delivered(seq: number): Awaitable<unknown> {
    return this.#open.findLast(({ first }) => first <= seq)?.delivered
  }

  async #goOn(before: Promise<unknown> | undefined, steps: Steps<void>): Promise<void> {
    if (before !== undefined) await before
    do await this.#turns.pause()
    while (!this.#run(steps))
  }

  /** @returns whether nothing is left */
  #run(steps: Steps<void>): boolean {
    return runBriefly(steps, this.#turns.isEnough) !== undefined
  }
}
