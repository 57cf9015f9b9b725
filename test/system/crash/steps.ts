import type { Random } from './random.ts'
import type { Keys } from './region.ts'

/** What a client of the tree does next. */
export type Step =
  | { readonly kind: 'put'; readonly keys: Keys; readonly json: unknown }
  | { readonly kind: 'delete'; readonly keys: Keys }
  /** Places below its region, all at once. */
  | { readonly kind: 'patch'; readonly members: readonly (readonly [Keys, unknown])[] }
  | { readonly kind: 'post'; readonly value: string }
  /** PUT if nothing has changed since it was read; `late` when something has. */
  | { readonly kind: 'put-if'; readonly keys: Keys; readonly json: unknown; readonly late: boolean }
  /** Adds one to a number that others add to as well. */
  | { readonly kind: 'count-on' }
  /** Asks for the greatest of its list. */
  | { readonly kind: 'query' }

/** Children of the list: more than are sorted without an index. */
const LIST_LENGTH = 90
const LARGE = 120

/** One more step of a plan. @param number of the step, so that no value comes twice */
export function stepOf(random: Random, number: number): Step {
  const leaf = ['leaf', `k${random.below(8)}`]
  const kind = random.below(100)
  if (kind < 24) return { kind: 'put', keys: leaf, json: { number, filler: 'x'.repeat(random.below(300)) } }
  if (kind < 32) return { kind: 'put', keys: largeKeys(random), json: largeTree(number, 1 + random.below(LARGE)) }
  if (kind < 38) return { kind: 'delete', keys: largeKeys(random) }
  if (kind < 41) return { kind: 'delete', keys: leaf }
  if (kind < 60) return { kind: 'patch', members: membersOf(random, number) }
  if (kind < 70) return { kind: 'post', value: `posted ${number}` }
  if (kind < 73) return { kind: 'delete', keys: ['posts'] }
  if (kind < 82) return { kind: 'put-if', keys: leaf, json: { number }, late: random.happens(0.3) }
  if (kind < 87) return { kind: 'count-on' }
  if (kind < 90) return { kind: 'put', keys: ['sum'], json: { '.sv': { increment: 1 } } }
  if (kind < 91) return { kind: 'patch', members: listOf(number) }
  return random.happens(0.5)
    ? { kind: 'query' }
    : { kind: 'put', keys: ['list', `k${random.below(LIST_LENGTH)}`, 'n'], json: number }
}

function largeKeys(random: Random): Keys {
  return ['large', `k${random.below(2)}`]
}

/** An object whose children have children, so that deleting it leaves rows to sweep. */
function largeTree(number: number, size: number): unknown {
  const child = (at: number) => ({ number, at, deep: { filler: 'y'.repeat(at % 90) } })
  return Object.fromEntries(Array.from({ length: size }, (_, at) => [`c${at}`, child(at)]))
}

/** Places far from each other, whose numbers must never differ. */
function membersOf(random: Random, number: number): (readonly [Keys, unknown])[] {
  const members: (readonly [Keys, unknown])[] = [
    [['pair', 'left'], number],
    [['other', 'right', 'side'], number],
  ]
  if (random.happens(0.3)) members.push([['list', `k${random.below(LIST_LENGTH)}`], { n: -number }])
  if (random.happens(0.2)) members.push([largeKeys(random), null])
  return members
}

function listOf(number: number): (readonly [Keys, unknown])[] {
  return Array.from({ length: LIST_LENGTH }, (_, at): [Keys, unknown] => [
    ['list', `k${at}`],
    { n: (at * 7919 + number) % 1000 },
  ])
}
