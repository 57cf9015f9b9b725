import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { indexName } from '../../../src/store/rows/indexes/index-name.ts'
import { runsInLanes } from '../../support/lane.ts'
import { patchJob, putJob, unwritable } from '../../support/store.ts'
import { BuildScene } from './build-scene.ts'

const RUNS = runsInLanes(15, 150)
const KEYS = 10
const NAME = indexName(['x'])

const anyKey = fc.nat(KEYS - 1).map((index) => (index % 5 === 0 ? String(index) : `k${String(index).padStart(2, '0')}`))
const anyChild = fc.constantFrom<unknown>(
  null,
  { y: 1 },
  { x: 1 },
  { x: 2, y: 1 },
  { x: true },
  { x: 'a'.repeat(1500) },
  { x: 2, y: 'y'.repeat(300) },
  { x: 2, y: 'z'.repeat(243) },
  { x: 2, y: 'z'.repeat(244) },
  { x: { deep: 1 } },
  { x: { '.value': 3, '.priority': 4 } },
  { x: 'b', '.priority': 1 },
)

const anyWrite = fc.oneof(
  fc.record({ path: anyKey.map((key) => `/list/${key}`), json: anyChild }),
  fc.record({ path: anyKey.map((key) => `/list/${key}/x`), json: fc.constantFrom<unknown>(null, 1, 'c', { deep: 2 }) }),
  fc.record({ path: anyKey.map((key) => `/list/${key}/y`), json: fc.constantFrom<unknown>(null, 3) }),
)

type Write = { readonly path: string; readonly json: unknown }

/** Whether the transaction commits, has a job that fails, or fails after its jobs. */
type End = 'commits' | 'has a broken job' | 'breaks'

type Action =
  | { readonly kind: 'write'; readonly writes: readonly Write[]; readonly end: End }
  | { readonly kind: 'patch'; readonly json: Readonly<Record<string, unknown>> }
  | { readonly kind: 'declare'; readonly isCovering: boolean }
  | { readonly kind: 'step' | 'read' | 'readSilently' | 'deliver' }

const act = (kind: 'step' | 'read' | 'readSilently' | 'deliver') => fc.constant<Action>({ kind })

const anyAction: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('write' as const),
      writes: fc.array(anyWrite, { minLength: 1, maxLength: 3 }),
      end: fc.constantFrom<End>('commits', 'commits', 'has a broken job', 'breaks'),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('patch' as const),
      json: fc.dictionary(anyKey, anyChild, { minKeys: 1 }),
    }),
  },
  { weight: 2, arbitrary: fc.boolean().map((isCovering): Action => ({ kind: 'declare', isCovering })) },
  { weight: 4, arbitrary: act('step') },
  { weight: 2, arbitrary: act('read') },
  { weight: 2, arbitrary: act('readSilently') },
  { weight: 12, arbitrary: act('deliver') },
)

const anyList = fc.dictionary(
  anyKey,
  anyChild.filter((child) => child !== null),
  { minKeys: 5, maxKeys: KEYS },
)

/** What happens until all entries are inserted, from then on, and when the index is complete. */
const anyPlan = fc.record({
  early: fc.array(anyAction, { maxLength: 40 }),
  late: fc.array(anyAction, { maxLength: 20 }),
  afterwards: fc.array(anyAction, { maxLength: 20 }),
})

function play(scene: BuildScene, action: Action): void {
  if (action.kind === 'write') {
    const jobs = action.writes.map(({ path, json }) => putJob(path, json))
    if (action.end === 'breaks') scene.runInVain(jobs)
    else scene.run(action.end === 'commits' ? jobs : [...jobs, unwritable(putJob('/list/k01', { x: 'never' }))])
  } else if (action.kind === 'patch') scene.run([patchJob('/list', action.json)])
  else if (action.kind === 'declare') scene.declare(NAME, action.isCovering)
  else if (action.kind === 'step') scene.run([])
  else if (action.kind === 'deliver') scene.deliver()
  else scene.read(action.kind === 'read')
}

test('an index that is built while others write has the entries of an index that was there before', () => {
  fc.assert(
    fc.property(
      fc.constantFrom({ inlineLength: 0 }, { inlineLength: 4096 }, { inlineLength: 0, chunkLength: 1 }),
      fc.boolean(),
      fc.boolean(),
      anyList,
      anyPlan,
      (...[lengths, beginsLate, isCovering, list, plan]) => {
        using scene = new BuildScene(lengths, beginsLate, isCovering)
        // A long second child keeps the list from being part of one text.
        scene.run([putJob('/other', 'x'.repeat(5000))])
        scene.begin({ ...list, long: { y: 'x'.repeat(5000) } }, NAME).catch(() => {})
        for (const action of plan.early) play(scene, action)
        scene.insertAll()
        for (const action of plan.late) play(scene, action)
        scene.finish()
        for (const action of plan.afterwards) play(scene, action)
        scene.finish()
        scene.expectRight('x')
      },
    ),
    { numRuns: RUNS },
  )
}, 1_800_000)

const LIST = Object.fromEntries(
  Array.from({ length: KEYS }, (_, index) => [`k${index}`, { x: index, y: 'y'.repeat(800) }]),
)

test('a build that fails half-way rejects its request and leaves no entries', async () => {
  using scene = new BuildScene({ inlineLength: 0 })
  const asked = scene.begin(LIST, NAME)
  scene.run([])
  scene.read()
  scene.deliver()
  scene.run([])
  expect(scene.entries).toBeGreaterThan(0)
  scene.fail(new Error('no room to sort'))
  for (let step = 0; step < 3; step++) scene.run([])
  await expect(asked).rejects.toThrow('no room to sort')
  expect([scene.hasList, scene.isSorting, scene.entries]).toEqual([false, false, 0])
})

test('a build ends with its list', () => {
  using scene = new BuildScene({ inlineLength: 0 })
  scene.begin(LIST, NAME).catch(() => {})
  scene.run([])
  scene.read()
  scene.deliver()
  scene.run([])
  scene.run([putJob('/list', null)])
  for (let step = 0; step < 5; step++) scene.run([])
  expect([scene.hasList, scene.isSorting, scene.entries]).toEqual([false, false, 0])
})

test('a build ends with its index, also when the same index is asked for again', () => {
  using scene = new BuildScene({ inlineLength: 0 })
  const name = indexName(['x'])
  scene.begin(LIST, name).catch(() => {})
  scene.run([])
  scene.read()
  scene.dropIndexes()
  for (let step = 0; step < 3; step++) scene.run([])
  scene.run([putJob('/list/k1/x', 100)])
  scene.ask(name).catch(() => {})
  scene.run([])
  scene.finish()
  expect(scene.hasIndex).toBe(true)
  scene.expectRight('x')
})
