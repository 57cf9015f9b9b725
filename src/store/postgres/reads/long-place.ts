import type { TaskLimit } from '../../../scheduling/task-limit.ts'

/** The place of one read among the long ones. */
export class LongPlace {
  readonly #long: TaskLimit
  #leave: (() => void) | undefined

  constructor(long: TaskLimit) {
    this.#long = long
  }

  /** Takes a place, if one is free. @returns whether the read has one */
  readonly take = (): boolean => {
    if (this.#leave !== undefined) return true
    if (this.#long.isFull) return false
    void this.wait()
    return true
  }

  /** Resolves when the read has a place. */
  wait(): Promise<void> {
    const begun = Promise.withResolvers<void>()
    const left = Promise.withResolvers<void>()
    this.#leave = left.resolve
    void this.#long.run(() => {
      begun.resolve()
      return left.promise
    })
    return begun.promise
  }

  leave(): void {
    this.#leave?.()
  }
}
