import type { Status } from '../../protocol/sms/calls.ts'
import { keyOf } from './ledger.ts'

/** An answer of the batch query that its client has read to the end. */
interface Telling {
  /** Whether the process was killed before there was a sign that it had kept that this was given. */
  mayRepeat: boolean
}

/** Messages that came to their end at once, in every order in which that may have been. */
interface Produced {
  orders: readonly (readonly string[])[]
}

/**
 * Which final states there are, and who has been told of them.
 *
 * A state counts as told when a client has read an answer with it to the end. Everything else may happen to it any number
 * of times: a call whose client has gone away, or that was under way when the process ended, has told nothing.
 *
 * What has been told may be told again in one case only. The server keeps that an answer was given after it has written
 * the end of it. A kill in between leaves an answer that was read to its end and that the next process knows nothing of.
 * So the states of an answer may be told again when the process was killed before there was a sign that it had kept it.
 * Signs are a successful answer to a call that writes and was sent after the client had read that end, as what an
 * application writes becomes durable in the order in which it was asked for; and a process that ended by itself. Nothing
 * else allows it: no connection that broke, no stop, no call at the same time.
 */
export class Tellings {
  readonly #produced: Produced[] = []
  /** The number of its production by name of the message. */
  readonly #places = new Map<string, number>()
  readonly #told = new Map<string, Telling>()
  readonly #untold = new Set<string>()
  /** Answers without a sign that they were kept. */
  #fresh: Telling[] = []

  /** Messages have come to their end, in one of these orders. */
  produce(orders: readonly (readonly string[])[]): void {
    const place = this.#produced.push({ orders }) - 1
    for (const key of orders[0] ?? []) {
      this.#places.set(key, place)
      this.#untold.add(key)
    }
  }

  /** Names of messages whose end nobody has been told of. */
  get untold(): ReadonlySet<string> {
    return this.#untold
  }

  /** Names of messages whose end somebody has been told of. */
  get told(): readonly string[] {
    return [...this.#told.keys()]
  }

  /** An answer has been read to its end. @returns what is wrong with it */
  take(records: readonly Status[]): string | undefined {
    const keys = records.map(keyOf)
    const telling = { mayRepeat: false }
    for (const key of keys) {
      if (!this.#places.has(key)) return `told of a message that has no final state: ${key}`
      const before = this.#told.get(key)
      if (before !== undefined && !before.mayRepeat) return `told once more: ${key}`
      this.#told.set(key, telling)
      this.#untold.delete(key)
    }
    if (keys.length > 0) this.#fresh.push(telling)
    return this.#disorder(keys)
  }

  /** Whoever has read the end of an answer before has been told for good. */
  keep(): void {
    this.#fresh = []
  }

  /** The process was killed. */
  crash(): void {
    for (const telling of this.#fresh) telling.mayRepeat = true
    this.#fresh = []
  }

  /** Nobody will be told of these, and that is right. */
  forgive(keys: Iterable<string>): void {
    for (const key of keys) this.#untold.delete(key)
  }

  /** Oldest first; what came to its end at once stands in one of the orders in which it may have. */
  #disorder(keys: readonly string[]): string | undefined {
    let from = 0
    while (from < keys.length) {
      const place = this.#placeOf(keys[from])
      let to = from
      while (to < keys.length && this.#placeOf(keys[to]) === place) to++
      const next = keys[to]
      if (next !== undefined && this.#placeOf(next) < place)
        return `told before what is older: ${keys[to - 1]}, ${next}`
      const stretch = keys.slice(from, to)
      const produced = this.#produced[place]
      const orders = (produced?.orders ?? []).filter((order) => isInOrder(stretch, order))
      if (produced === undefined || orders.length === 0) return `told in no order there was: ${stretch.join(' ')}`
      produced.orders = orders
      from = to
    }
    return undefined
  }

  #placeOf(key: string | undefined): number {
    return this.#places.get(key ?? '') ?? -1
  }
}

/** Whether all of a list are among the others, in their order. */
function isInOrder(some: readonly string[], all: readonly string[]): boolean {
  let at = 0
  for (const key of all) if (key === some[at]) at++
  return at === some.length
}
