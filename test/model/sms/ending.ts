import type { End } from './plan.ts'

/** The moment at which a process ends. */
export class Ending {
  isBegun = false
  readonly #end: End | null
  readonly #begin: (how: End['how']) => void
  #seen = 0

  /** @param end `null`: it does not */
  constructor(end: End | null, begin: (how: End['how']) => void) {
    this.#end = end
    this.#begin = begin
  }

  /** Something was seen of a call. */
  see(): void {
    this.#seen++
    if (this.#end?.after === this.#seen) this.begin()
  }

  /** It is time, if it has not been before. */
  begin(): void {
    if (this.isBegun || this.#end === null) return
    this.isBegun = true
    this.#begin(this.#end.how)
  }
}
