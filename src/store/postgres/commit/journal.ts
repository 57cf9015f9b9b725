const ABSENT = Symbol('absent')

/** Changes maps, and takes changes back. */
export class Journal {
  readonly #maps: Map<unknown, unknown>[] = []
  readonly #keys: unknown[] = []
  readonly #before: unknown[] = []

  set<K, V>(map: Map<K, V>, key: K, value: V): void {
    this.#note(map, key)
    map.set(key, value)
  }

  delete<K, V>(map: Map<K, V>, key: K): void {
    if (!map.has(key)) return
    this.#note(map, key)
    map.delete(key)
  }

  /** A point to go back to. */
  savepoint(): number {
    return this.#maps.length
  }

  /** Takes back what was changed since a savepoint. */
  rollBackTo(savepoint: number): void {
    while (this.#maps.length > savepoint) {
      const [map, key, before] = [this.#maps.pop(), this.#keys.pop(), this.#before.pop()]
      if (before === ABSENT) map?.delete(key)
      else map?.set(key, before)
    }
  }

  #note<K, V>(map: Map<K, V>, key: K): void {
    this.#maps.push(map as Map<unknown, unknown>)
    this.#keys.push(key)
    this.#before.push(map.has(key) ? map.get(key) : ABSENT)
  }
}
