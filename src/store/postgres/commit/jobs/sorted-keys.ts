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

  delete(key: string): void {
    const index = this.#indexOf(key)
    if (this.#keys[index] === key) this.#keys.splice(index, 1)
  }

  /** The next key before or after a key. */
  nearest(key: string, side: 'before' | 'after'): string | undefined {
    const index = this.#indexOf(key)
    if (side === 'before') return this.#keys[index - 1]
    return this.#keys[this.#keys[index] === key ? index + 1 : index]
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
