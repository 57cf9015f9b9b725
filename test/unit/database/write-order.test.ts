import { expect, test } from 'bun:test'
import { WriteOrder, type WritePlace } from '../../../src/database/writes/order/write-order.ts'
import { turns } from '../../support/store.ts'

/** A generator of numbers from 0 up to 1, the same for the same seed. */
function numbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return state / 2 ** 31
  }
}

/** What a job in the queue of the store comes to. */
type End = 'done' | 'postponed' | 'out-of-order'

interface QueuedJob {
  readonly run: () => End
  readonly settle: (end: End) => void
}

/** A store that runs jobs in batches of any size, some of them twice, and says later what they have come to. */
class PlannedQueue {
  readonly #jobs: QueuedJob[] = []
  readonly #random: () => number
  readonly #unsettled: (() => void)[] = []

  constructor(random: () => number) {
    this.#random = random
  }

  get isIdle(): boolean {
    return this.#jobs.length === 0 && this.#unsettled.length === 0
  }

  add(run: () => End): Promise<End> {
    return new Promise((settle) => this.#jobs.push({ run, settle }))
  }

  runBatch(): void {
    const batch = this.#jobs.slice(0, 1 + Math.floor(this.#random() * 6))
    // The batch is rolled back, and its jobs run again.
    if (this.#random() < 0.2) for (const { run } of batch) run()
    for (const job of batch) {
      const end = job.run()
      this.#unsettled.push(() => job.settle(end))
    }
    this.#jobs.splice(0, batch.length)
  }

  settle(): void {
    for (const each of this.#unsettled.splice(0)) each()
  }
}

/** Carries out writes of one client in a plan, and returns the order in which they have taken effect. */
async function effectsOf(seed: number, writes: number): Promise<readonly number[]> {
  const random = numbers(seed)
  const queue = new PlannedQueue(random)
  const order = new WriteOrder()
  const effects: number[] = []
  let left = writes

  const write = async (number: number, place: WritePlace): Promise<void> => {
    let mayPostpone = random() < 0.3
    for (;;) {
      place.queued()
      const end = await queue.add(() => {
        place.begun()
        effects.splice(effects.indexOf(number), effects.includes(number) ? 1 : 0)
        if (!place.isTurn()) {
          place.leave()
          return 'out-of-order'
        }
        if (mayPostpone) {
          place.leave()
          return 'postponed'
        }
        effects.push(number)
        return 'done'
      })
      if (end === 'done') break
      if (end === 'out-of-order') await place.turnToQueue()
      else {
        await turns(Math.floor(random() * 4))
        mayPostpone = random() < 0.2
      }
    }
    place.settled()
    left--
  }

  for (let number = 0; number < writes; number++) {
    void write(number, order.join())
    if (random() < 0.5) queue.runBatch()
    if (random() < 0.5) queue.settle()
    if (random() < 0.5) await turns(1)
  }
  while (left > 0) {
    queue.runBatch()
    queue.settle()
    await turns(1)
  }
  expect(queue.isIdle).toBe(true)
  return effects
}

test('writes of one client take effect in their order, in whatever turns their jobs leave the queue and come back', async () => {
  for (let seed = 1; seed <= 60; seed++) {
    const effects = await effectsOf(seed, 25)
    expect({ seed, effects }).toEqual({ seed, effects: Array.from({ length: 25 }, (_, number) => number) })
  }
})

test('an order that nothing has disturbed lets every write run at once', () => {
  const order = new WriteOrder()
  const places = [order.join(), order.join()]
  for (const place of places) place.queued()
  expect(places.map((place) => place.isTurn())).toEqual([true, true])
  places[0]?.leave()
  expect(places.map((place) => place.isTurn())).toEqual([true, false])
  places[0]?.settled()
  expect(places[1]?.isTurn()).toBe(true)
})
