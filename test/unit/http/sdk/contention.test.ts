import { expect, test } from 'bun:test'
import { Contention } from '../../../../src/http/sdk/requests/contention.ts'
import { parsePath } from '../../../../src/tree/path.ts'
import { turns } from '../../../support/store.ts'

/** A clock that a test sets, and whether a set that has entered may go on. */
class Planned {
  now = 0
  readonly contention = new Contention(() => this.now)

  /** Lets a client enter. @returns tells whether its set may be judged */
  enter(client: object, path = 'n'): () => boolean {
    const waiting = this.contention.enter(client, parsePath(path))
    let mayGoOn = waiting === undefined
    void waiting?.then(() => {
      mayGoOn = true
    })
    return () => mayGoOn
  }

  /** A set is judged. */
  async left(client: object, outcome: 'won' | 'lost' | 'void', path = 'n'): Promise<void> {
    this.contention.left(client, parsePath(path), outcome)
    await turns(1)
  }
}

const [ann, bob, cid] = [{}, {}, {}]

test('sets that do not lose are not kept', async () => {
  const planned = new Planned()
  expect(planned.enter(ann)()).toBe(true)
  expect(planned.enter(bob)()).toBe(true)
  await planned.left(ann, 'won')
  expect(planned.contention.size).toBe(0)
})

test('a client that has lost goes before one that has not', async () => {
  const planned = new Planned()
  await planned.left(bob, 'lost')
  const first = planned.enter(ann)
  expect(first()).toBe(false)
  expect(planned.enter(bob)()).toBe(true)
  await planned.left(bob, 'won')
  expect(first()).toBe(true)
  await planned.left(ann, 'won')
  expect(planned.contention.size).toBe(0)
})

test('the one that has lost most often goes first, however late it comes', async () => {
  const planned = new Planned()
  await planned.left(ann, 'lost')
  await planned.left(bob, 'lost')
  planned.now = 50
  await planned.left(bob, 'lost')
  const early = planned.enter(ann)
  expect(early()).toBe(false)
  expect(planned.enter(bob)()).toBe(true)
  await planned.left(bob, 'void')
  expect(early()).toBe(true)
})

test('nodes within each other contend, others do not', async () => {
  const planned = new Planned()
  await planned.left(ann, 'lost', 'a/b')
  const waits = ['a', 'a/b', 'a/b/c', ''].map((path) => planned.enter(bob, path)())
  expect(waits).toEqual([false, false, false, false])
  planned.contention.forget(bob)
  expect(['a/c', 'ab', 'z'].map((path) => planned.enter(cid, path)())).toEqual([true, true, true])
})

test('nothing waits for a client that does not come again, nor for ever', async () => {
  const planned = new Planned()
  await planned.left(ann, 'lost')
  planned.now = 99
  expect(planned.enter(bob)()).toBe(false)
  planned.now = 101
  expect(planned.enter(bob)()).toBe(true)
  // Bob is judged for very long.
  const last = planned.enter(cid)
  planned.now = 1200
  await planned.left({}, 'lost', 'elsewhere')
  expect(last()).toBe(true)
  for (const client of [ann, bob, cid]) planned.contention.forget(client)
  planned.now = 20_000
  await planned.left({}, 'lost', 'third')
  expect(planned.contention.size).toBe(1)
})

test('a client that leaves is not waited for, and what it has sent goes on', async () => {
  const planned = new Planned()
  await planned.left(ann, 'lost')
  const waits = planned.enter(bob)
  const own = planned.enter(cid)
  planned.contention.forget(cid)
  await turns(1)
  expect([waits(), own()]).toEqual([false, true])
  planned.contention.forget(ann)
  await turns(1)
  expect(waits()).toBe(true)
})

test('the number of contenders is bounded, in all and for one client', async () => {
  const planned = new Planned()
  for (let at = 0; at < 50; at++) await planned.left(ann, 'lost', `of-ann/${at}`)
  expect(planned.contention.size).toBe(8)
  for (let at = 0; at < 500; at++) await planned.left({}, 'lost', 'n')
  expect(planned.contention.size).toBe(128)
})
