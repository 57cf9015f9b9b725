/** The job of a write has come before that of an earlier one: it must be queued again, behind that one. */
export class OutOfOrder extends Error {
  override readonly name = 'OutOfOrder'
}

/**
 * The writes of one client, which take effect in the order in which they are queued, although none waits for the one
 * before. The store runs jobs in the order of its queue; but a write whose rules take long leaves the queue and comes
 * back. Then those behind it leave too, and come back behind it.
 * @see docs/reference/sdk-protocol.md#order
 */
export class WriteOrder {
  /** Places of writes that have no outcome yet, the first one first. */
  readonly #places = new Set<WritePlace>()
  #positions = 0
  /** Whether a write has left the queue since there was none. */
  #isDisturbed = false

  /** Adds a write behind all others. It must be queued before the next one is added. */
  join(): WritePlace {
    const place = new WritePlace(this)
    this.#places.add(place)
    return place
  }

  /** A position in the queue of the store. */
  nextPosition(): number {
    return ++this.#positions
  }

  /** Whether all earlier writes are queued in front of a place. */
  isTurn(of: WritePlace): boolean {
    if (!this.#isDisturbed) return true
    for (const place of this.#places) {
      if (place === of) return true
      if (place.isAway || place.position > of.position) return false
    }
    return true
  }

  disturb(): void {
    this.#isDisturbed = true
  }

  /** Wakes the first write that is away, which no earlier one holds up. */
  wake(): void {
    if (!this.#isDisturbed) return
    for (const place of this.#places) {
      if (!place.isAway) continue
      place.resume()
      return
    }
  }

  /** Whether no earlier write is away. */
  isFirstAway(of: WritePlace): boolean {
    for (const place of this.#places) {
      if (place === of) return true
      if (place.isAway) return false
    }
    return true
  }

  /** The write has an outcome. */
  remove(place: WritePlace): void {
    this.#places.delete(place)
    this.wake()
    if (this.#places.size === 0) this.#isDisturbed = false
  }
}

/** The place of one write in an order. */
export class WritePlace {
  readonly #order: WriteOrder
  position = 0
  /** Whether it has left the queue, to be queued again. */
  isAway = false
  #resume: (() => void) | undefined

  constructor(order: WriteOrder) {
    this.#order = order
  }

  /** It is passed to the store now. */
  queued(): void {
    const wasAway = this.isAway
    this.isAway = false
    this.position = this.#order.nextPosition()
    if (wasAway) this.#order.wake()
  }

  /** Its job begins, perhaps not for the first time: what an earlier run has decided is void. */
  begun(): void {
    this.isAway = false
  }

  /** Whether its job may run now that those in front of it in the queue have run. */
  readonly isTurn = (): boolean => this.#order.isTurn(this)

  /** Its job leaves the queue. Called within the transaction, so that those behind know. */
  leave(): void {
    this.isAway = true
    this.#order.disturb()
  }

  /** Resolves when it must be queued again: every earlier write is. */
  async turnToQueue(): Promise<void> {
    while (!this.#order.isFirstAway(this)) {
      const { promise, resolve } = Promise.withResolvers<void>()
      this.#resume = resolve
      await promise
    }
  }

  resume(): void {
    this.#resume?.()
    this.#resume = undefined
  }

  /** The write has an outcome. */
  settled(): void {
    this.#order.remove(this)
  }
}
