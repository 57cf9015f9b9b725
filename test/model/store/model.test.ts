import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { IndexDeclaration } from '../../../src/query/index-declarations.ts'
import { parseStored, print } from '../../../src/tree/json/print.ts'
import { joined } from '../../../src/tree/json/text-pieces.ts'
import { TRUSTED } from '../../../src/tree/read-program.ts'
import { openTestStore, treeProblems } from '../../support/engine.ts'
import { expectedKeyOrder } from '../../support/key-order.ts'
import { runsInLanes } from '../../support/lane.ts'
import { unlimited } from '../../support/store.ts'
import { tempDir } from '../../support/temp-dir.ts'
import { Mirror } from './mirror.ts'
import { Model } from './model.ts'
import { anyPlan, type Patch, type Put, type Step } from './plan.ts'

const RUNS = runsInLanes(4, 40)
/** With a row for each character a run takes many times as long. */
const LONG_RUNS = runsInLanes(2, 12)

/** Every order of a plan, of every list down to the deepest path of a plan. */
const COVERING: readonly IndexDeclaration[] = Array.from({ length: 6 }, (_, depth) =>
  Array(depth).fill('$any'),
).flatMap((list) =>
  [[], ['.priority'], ['a'], ['a', 'b'], ['b', '0'], ['__proto__']].map((path) => ({ list, path, covering: true })),
)

/** The request a step comes to in the tree as it is. */
function requestOf(step: Exclude<Step, { kind: 'reopen' }>, model: Model): Put | Patch {
  if (step.kind === 'put' || step.kind === 'patch') return step
  const places = model.paths()
  const path = places[step.place % places.length] ?? []
  if (step.kind === 'put-existing') return { kind: 'put', path: [...path, ...step.last], json: step.json }
  const members = Object.create(null) as Record<string, unknown>
  for (const key of model.keys(path)) members[key] = null
  members[step.key] = step.json
  return { kind: 'patch', path, members }
}

async function run(request: Put | Patch, mirror: Mirror): Promise<void> {
  if (request.kind === 'put') return mirror.put(request.path, request.json)
  return mirror.patch(request.path, new Map(Object.entries(request.members)))
}

async function compare({ store, model }: Mirror, path: readonly string[]): Promise<void> {
  const node = await store.node(path, unlimited, TRUSTED)
  expect(node?.plain).toBe(model.plain(path) as string)
  expect(node?.export).toBe(model.export(path) as string)
  expect(await store.shallow(path, unlimited, undefined, TRUSTED)).toBe(model.shallow(path) as string)
  expect(await store.count(path, undefined, unlimited, TRUSTED)).toBe(model.count(path))
  // Stored text is a function of the content alone.
  if (node !== undefined) {
    const stored = joined(node.stored)
    expect(print(parseStored(stored), 'stored')).toBe(stored)
  }
}

describe.each([
  [0, 16_384, 65_536],
  [30, 16_384, 65_536],
  [4096, 16_384, 65_536],
  [30, 40, 65_536],
  [30, 40, 1],
  [4096, 1, 1],
] as const)('at most %d characters in a row, values of %d written ahead, chunks of %d', (...lengths) => {
  const [inlineLength, stagedLength, chunkLength] = lengths
  // fast-check prints seed, path and the shrunk plan of a failure: pass `{ seed, path }` to run it again.
  test('the store does what the model does', async () => {
    await fc.assert(
      fc.asyncProperty(anyPlan, fc.boolean(), async (plan, isCovering) => {
        await using directory = await tempDir()
        const file = directory.file('tree')
        // Every list that is asked about gets an index, which the writes after it must keep.
        const options = { inlineLength, stagedLength, chunkLength, shortList: 0 }
        const open = async () => {
          const store = await openTestStore(file, options)
          await store.declareIndexes(isCovering ? COVERING : [])
          return store
        }
        const mirror = new Mirror(await open())
        try {
          for (const [step, path, orderBy] of plan) {
            if (step.kind === 'reopen') {
              await mirror.store.close()
              mirror.store = await open()
            } else {
              const request = requestOf(step, mirror.model)
              await run(request, mirror)
              const written = request.path.filter((key) => key !== '.priority')
              await compare(mirror, written)
              if (orderBy !== undefined) await mirror.expectAnswers(written.slice(0, -1), { orderBy }, 'wilddog')
            }
            await compare(mirror, [])
            await compare(mirror, path)
            if (orderBy !== undefined) await mirror.expectAnswers(path, { orderBy, limitToLast: 3 }, 'wilddog')
          }
          await mirror.store.swept()
        } finally {
          await mirror.store.close()
        }
        expect(await treeProblems(file)).toEqual([])
      }),
      { numRuns: chunkLength === 1 ? LONG_RUNS : RUNS },
    )
  })
})

test('the order the model knows is the order of the product', () => {
  fc.assert(
    fc.property(anyPlan, (plan) => {
      const model = new Model()
      for (const [step] of plan) if (step.kind === 'put') model.put(step.path, step.json, 1)
      const keys = [...(model.shallow([]) ?? '').matchAll(/("(?:[^"\\]|\\.)*"):true/g)].map((match) =>
        JSON.parse(match[1] ?? ''),
      )
      expect(keys).toEqual(keys.toSorted(expectedKeyOrder))
    }),
  )
})
