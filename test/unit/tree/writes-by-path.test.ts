import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { covers, type Path } from '../../../src/tree/path.ts'
import type { Write } from '../../../src/tree/write.ts'
import { writesConcerning } from '../../../src/tree/writes-by-path.ts'

const key = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f')
const path = fc.array(key, { maxLength: 4 })
const longPath = fc.array(key, { minLength: 2, maxLength: 4, size: 'max' })

/** Writes that do not overlap, priorities last. */
const writes = fc
  .tuple(fc.array(longPath, { maxLength: 80, size: 'max' }), fc.array(path, { maxLength: 20 }))
  .map(([values, priorities]): Write[] => {
    const apart: Path[] = []
    for (const each of values) if (!apart.some((one) => covers(one, each) || covers(each, one))) apart.push(each)
    const unique = new Map(priorities.map((each) => [each.join('/'), each]))
    return [
      ...apart.map((each): Write => ({ kind: 'value', path: each, value: 1 })),
      ...[...unique.values()].map((each): Write => ({ kind: 'priority', path: each, priority: 1 })),
    ]
  })

test('the writes that concern a node are those that a look at each finds, few or many', () => {
  let many = 0
  fc.assert(
    fc.property(writes, fc.array(path, { minLength: 1, maxLength: 5 }), (all, nodes) => {
      if (all.length > 16) many++
      for (const node of nodes) {
        const around = all.find((write) => write.kind === 'value' && covers(write.path, node))
        const below = around === undefined ? all.filter((write) => covers(node, write.path)) : []
        expect(writesConcerning(all, node)).toEqual({ around, below })
      }
    }),
    { numRuns: 500 },
  )
  expect(many).toBeGreaterThan(50)
})
