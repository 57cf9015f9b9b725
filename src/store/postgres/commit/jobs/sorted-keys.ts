/** A set of keys in their order. */
export class SortedKeys {
  readonly #keys: string[]

  constructor(keys: readonly string[]) {
    this.#keys = keys.toSorted(compare)
  }

  add(key: string): void {
    const index = this.#indexOf(key)
    if (this.#keys[index] !== key) this.#keys.splice(index, 0, key)
  }

  /** The keys before or after a key, from the nearest one on. */
  *from(key: string, side: 'before' | 'after'): Generator<string, void> {
    const index = this.#indexOf(key)
    if (side === 'before') {
      for (let at = index - 1; at >= 0; at--) yield this.#keys[at] as string
      return
    }
    for (let at = this.#keys[index] === key ? index + 1 : index; at < this.#keys.length; at++) {
      yield this.#keys[at] as string
    }
  }

  /** Index of the first key that is not smaller. */
  #indexOf(key: string): number {
    let [low, high] = [0, this.#keys.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#keys[middle] as string) < key) low = middle + 1
      else high = middle
    }
    return low
  }
}

function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0
}
