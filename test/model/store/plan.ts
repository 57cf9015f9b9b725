import fc from 'fast-check'
import { anyKey, anyPayload, anyPriority } from '../../support/payloads.ts'

export interface Put {
  readonly kind: 'put'
  readonly path: readonly string[]
  readonly json: unknown
}

export interface Patch {
  readonly kind: 'patch'
  readonly path: readonly string[]
  readonly members: Readonly<Record<string, unknown>>
}

/** A put at a place that exists by then: the one of that number among all. */
interface PutExisting {
  readonly kind: 'put-existing'
  readonly place: number
  readonly last: readonly string[]
  readonly json: unknown
}

/** A patch that deletes all children of such a place and sets another one. */
interface Refill {
  readonly kind: 'refill'
  readonly place: number
  readonly key: string
  readonly json: unknown
}

/** One thing done to the tree. */
export type Step = Put | Patch | PutExisting | Refill | { readonly kind: 'reopen' }

/** Short paths, so that steps meet; now and then below a leaf. */
const anyPath = fc.array(anyKey, { maxLength: 4 })

const increment = fc.integer({ min: -3, max: 3 }).map((by) => ({ '.sv': { increment: by } }))
const serverValue = fc.oneof(increment, fc.constant({ '.sv': 'timestamp' }))
const priority = fc.oneof(
  { weight: 3, arbitrary: anyPriority },
  { weight: 1, arbitrary: fc.constant(null) },
  serverValue,
)
const payload = fc.oneof(
  { weight: 6, arbitrary: anyPayload },
  { weight: 1, arbitrary: serverValue },
  {
    weight: 1,
    arbitrary: fc.tuple(serverValue, priority).map(([value, own]) => ({ '.value': value, '.priority': own })),
  },
  { weight: 1, arbitrary: fc.tuple(anyPayload, serverValue).map(([one, two]) => ({ a: one, b: two, '0': two })) },
)
/** A list whose length makes it more than one row of whatever engine, of short and of long texts. */
const list = fc
  .tuple(fc.constantFrom(3, 40, 600), fc.constantFrom('', 'text '.repeat(40)), fc.boolean())
  .map(([length, text, named]) => {
    const elements = Array.from({ length }, (_, index) => text + index)
    return named
      ? Object.fromEntries(elements.map((element, index) => [`k${index % 2 ? index : -index}`, element]))
      : elements
  })

const put = fc.tuple(anyPath, fc.oneof({ weight: 8, arbitrary: payload }, { weight: 1, arbitrary: list }))
const patchKeys = fc.uniqueArray(fc.array(anyKey, { minLength: 1, maxLength: 3 }), {
  minLength: 1,
  maxLength: 4,
  // No path covers another when their first keys differ.
  selector: ([first]) => first ?? '',
})

const existing = fc
  .tuple(fc.nat(50), fc.oneof(payload, fc.constant(null), fc.constant('long '.repeat(2000))))
  .map(([place, json]): Step => ({ kind: 'put-existing', place, last: [], json }))
const existingPriority = fc
  .tuple(fc.nat(50), priority)
  .map(([place, json]): Step => ({ kind: 'put-existing', place, last: ['.priority'], json }))
const removal = fc.nat(50).map((place): Step => ({ kind: 'put-existing', place, last: [], json: null }))
const refill = fc
  .tuple(fc.nat(50), anyKey, payload)
  .map(([place, key, json]): Step => ({ kind: 'refill', place, key, json }))

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: put.map(([path, json]): Step => ({ kind: 'put', path, json })) },
  { weight: 3, arbitrary: anyPath.map((path): Step => ({ kind: 'put', path, json: null })) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(anyPath, priority)
      .map(([path, json]): Step => ({ kind: 'put', path: [...path, '.priority'], json })),
  },
  {
    weight: 5,
    arbitrary: fc
      .tuple(anyPath, patchKeys, fc.array(fc.tuple(payload, fc.nat(5)), { minLength: 4, maxLength: 4 }), priority)
      .map(([path, keys, values, own]): Step => {
        const entries = keys.map((key, index): [string, unknown] => {
          const [json, choice] = values[index] ?? [null, 0]
          if (choice === 0) return [[...key, '.priority'].join('/'), own]
          return [key.join('/'), choice < 3 ? null : json]
        })
        const members = Object.create(null) as Record<string, unknown>
        for (const [key, json] of entries) members[key] = json
        return { kind: 'patch', path, members }
      }),
  },
  { weight: 2, arbitrary: existing },
  { weight: 2, arbitrary: existingPriority },
  { weight: 4, arbitrary: removal },
  { weight: 2, arbitrary: refill },
  { weight: 1, arbitrary: fc.constant<Step>({ kind: 'reopen' }) },
)

/** By what the children are asked for, now and then. */
const anyOrder = fc.option(fc.constantFrom('$value', '$priority', '$key', 'a', 'a/b', 'b/0', '__proto__'), {
  freq: 1,
  nil: undefined,
})

/** What is done, where is looked after each step besides the root, and by what the children are sorted then. */
export const anyPlan = fc.array(fc.tuple(anyStep, anyPath, anyOrder), { minLength: 1, maxLength: 25, size: 'max' })
