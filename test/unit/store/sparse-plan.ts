import { Database as Client } from 'bun:sqlite'
import { expect } from 'bun:test'
import type { QuerySpec } from '../../../src/query/query.ts'
import { SqliteStore } from '../../../src/store/sqlite/sqlite-store.ts'
import { Mirror } from '../../model/store/mirror.ts'
import { strictObserver } from '../../support/store.ts'
import { tempDir } from '../../support/temp-dir.ts'
import { Random } from '../../system/crash/random.ts'
import { integrityProblems } from './integrity.ts'

export interface SparsePlan {
  readonly seed: number
  readonly writes: number
  /** Whether the index is one of an earlier version, which had an entry for every child. */
  readonly isOfOldKind: boolean
}

const SIZE = 200

type Bounds = Partial<QuerySpec>

/** Sorts a list in which some children have no value, writes to it and asks again, and compares with the model. */
export async function playSparsePlan({ seed, writes, isOfOldKind }: SparsePlan): Promise<void> {
  const random = new Random(seed)
  await using directory = await tempDir()
  const file = directory.file('tree')
  const options = { shortList: 0, inlineLength: random.pick([0, 4096]) }
  const mirror = new Mirror(new SqliteStore(file, options, strictObserver))
  await mirror.put(['list'], stretches(random))
  await mirror.expectAnswers(['list'], { orderBy: 'x', limitToFirst: 3 })
  if (isOfOldKind) {
    await mirror.store[Symbol.asyncDispose]()
    fill(file)
    mirror.store = new SqliteStore(file, options, strictObserver)
  }
  for (let count = 0; count < writes; count++) {
    await writeSomething(mirror, random)
    for (let asked = 0; asked < 3; asked++) await mirror.expectAnswers(['list'], someQuery(random))
  }
  await mirror.store.swept()
  await mirror.store[Symbol.asyncDispose]()
  expect(integrityProblems(file)).toEqual([])
}

/** Children with and without a value, many of one kind in a row. */
function stretches(random: Random): Record<string, unknown> {
  const list: Record<string, unknown> = {}
  for (let index = 0; index < SIZE; ) {
    const isValued = random.happens(0.5)
    for (let length = 1 + random.below(random.pick([1, 3, 60])); length > 0 && index < SIZE; length--, index++) {
      // Every second key is still free.
      list[keyAt(2 * index)] = child(isValued, random)
    }
  }
  return list
}

function keyAt(index: number): string {
  return index % 3 === 0 ? String(index) : `k${String(index).padStart(3, '0')}`
}

function child(isValued: boolean, random: Random): unknown {
  return isValued ? { x: random.pick([1, 2, 3, true, 'a', 'b']), y: 1 } : { y: random.below(9) }
}

async function writeSomething(mirror: Mirror, random: Random): Promise<void> {
  const key = keyAt(random.below(2 * SIZE))
  switch (random.below(5)) {
    case 0:
      return mirror.put(['list', key], null)
    case 1:
      return mirror.put(['list', key, 'x'], random.pick([null, 1, 5, { deep: 1 }]))
    case 2: {
      const members = Array.from({ length: 6 }, (): [string, unknown] => [
        keyAt(random.below(2 * SIZE)),
        random.happens(0.3) ? null : child(random.happens(0.5), random),
      ])
      return mirror.patch(['list'], new Map(members))
    }
    default:
      return mirror.put(['list', key], child(random.happens(0.5), random))
  }
}

function someQuery(random: Random): QuerySpec {
  const limit = random.pick<Bounds>([
    {},
    { limitToFirst: 1 + random.below(20) },
    { limitToLast: 1 + random.below(250) },
  ])
  const key = keyAt(random.below(2 * SIZE))
  const value = random.pick([null, null, 1, 2, 'a'])
  const bounds: readonly [Bounds, ...Bounds[]] = [
    {},
    { equalTo: null },
    { startAt: [null, key] },
    { endAt: [null, key] },
    { startAfter: null },
    { endBefore: null },
    { startAfter: [value, key] },
    { endBefore: [value, key] },
    { startAt: [null, key], endAt: [null, keyAt(random.below(2 * SIZE))] },
    { startAt: value, endAt: 'a' },
  ]
  return { ...random.pick(bounds), ...limit, orderBy: 'x' }
}

/** Gives every child without a value an entry. */
function fill(file: string): void {
  const client = new Client(file)
  client.run(`
    INSERT OR IGNORE INTO index_entry(index_id, kind, value, key)
    SELECT index_definition.id, 0, 0, node.key FROM index_definition JOIN node ON parent_id = list_id
    WHERE node.key <> '.priority'
    AND node.key NOT IN (SELECT key FROM index_entry WHERE index_id = index_definition.id AND kind > 0)`)
  client.close()
}
