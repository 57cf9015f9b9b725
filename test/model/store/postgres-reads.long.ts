import '../../support/long-lane.ts'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { IndexDeclaration } from '../../../src/query/index-declarations.ts'
import { PostgresDatabase } from '../../../src/store/postgres/postgres-database.ts'
import { PostgresStore } from '../../../src/store/postgres/postgres-store.ts'
import type { TreeStore } from '../../../src/store/store.ts'
import { joined } from '../../../src/tree/json/text-pieces.ts'
import type { Path } from '../../../src/tree/path.ts'
import { type ReadAnswer, type ReadRequest, TRUSTED } from '../../../src/tree/read-program.ts'
import { longRuns } from '../../support/lane.ts'
import { databaseUrl, freshSchema, whyNoPostgres } from '../../support/postgres/cluster.ts'
import { strictObserver, unlimited } from '../../support/store.ts'
import { anyListPlan, LIST, type ListStep, longTexts } from './list-plan.ts'
import { placeToAsk, runListStep } from './list-steps.ts'
import { Mirror } from './mirror.ts'
import type { Model } from './model.ts'

/** Expects every read of a node that is no query to answer what the model holds. */
async function expectNode(store: TreeStore, model: Model, path: Path): Promise<void> {
  const told = `/${path.join('/')}`
  const wanted = { plain: model.plain(path), export: model.export(path), count: model.count(path) }
  const node = await store.node(path, unlimited, TRUSTED)
  expect<unknown>({ plain: node?.plain, export: node?.export, count: wanted.count }, told).toEqual(wanted)
  const at = await store.readAt(path, undefined, unlimited, TRUSTED)
  expect<unknown>([at.value?.plain, at.seq], told).toEqual([wanted.plain, store.position().seq])
  const shallow = await store.shallow(path, unlimited, undefined, TRUSTED)
  expect<unknown>(shallow && joined(shallow), told).toBe(model.shallow(path))
  expect(await store.count(path, undefined, unlimited, TRUSTED), told).toBe(wanted.count)
  const pieces = await Array.fromAsync(store.export(path))
  expect(pieces.join(''), told).toBe(wanted.export ?? 'null')
  const asked: readonly ReadRequest[] = [
    { kind: 'exists', path },
    { kind: 'count', path },
    { kind: 'node', path },
  ]
  const answers = await store.read(function* () {
    const all: ReadAnswer[] = []
    for (const request of asked) all.push(yield request)
    return all
  })
  const texts = answers.map((answer) => (typeof answer === 'object' ? answer.export : answer))
  expect<unknown>(texts, told).toEqual([wanted.plain !== undefined, wanted.count, wanted.export])
  // A bound at the length of the answer lets it through, and one below does not.
  if (node === undefined) return
  const { length } = joined(node.stored)
  const bounded = async (maxLength: number) => (await store.node(path, { ...unlimited, maxLength }, TRUSTED))?.plain
  expect<unknown>(await bounded(length), told).toBe(wanted.plain)
  await expect(bounded(length - 1), told).rejects.toMatchObject({ code: 'read-too-big' })
}

describe.skipIf(whyNoPostgres !== undefined)(whyNoPostgres ?? 'reads of PostgreSQL', () => {
  let database: PostgresDatabase
  let trees = 0
  beforeAll(async () => {
    database = await PostgresDatabase.open({ url: databaseUrl() ?? '', schema: freshSchema() })
  })
  afterAll(() => database.close())

  const settings: readonly (readonly [inlineLength: number, shortList: number | undefined, cacheLength: number])[] = [
    [0, 0, 0],
    [30, 0, 1_000_000],
    [30, undefined, 0],
    [4096, 0, 0],
  ]
  test.each(settings)(
    'answer what the model answers: at most %d characters in a row, longest list without an index %p, %d cached',
    async (inlineLength, shortList, cacheLength) => {
      await fc.assert(
        fc.asyncProperty(anyListPlan, async ([list, declarations, plan]) => {
          trees++
          const name = `tree ${trees}`
          const open = () =>
            PostgresStore.open(database, name, { inlineLength, shortList, cacheLength }, strictObserver)
          const mirror = new Mirror(await open())
          let declared: readonly IndexDeclaration[] = declarations
          try {
            await mirror.store.declareIndexes(declared)
            await mirror.put(LIST, list)
            for (const [step, questions] of plan) {
              await take(step)
              for (const [number, { spec, family }] of questions.entries()) {
                const path = placeToAsk(number, mirror.model)
                await mirror.expectAnswers(path, spec, family)
                await expectNode(mirror.store, mirror.model, path)
              }
              await expectNode(mirror.store, mirror.model, [])
            }
          } finally {
            await mirror.store.close()
          }

          async function take(step: ListStep): Promise<void> {
            if (step.kind === 'reopen') {
              await mirror.store.close()
              mirror.store = await open()
            } else if (step.kind === 'declare') declared = step.declarations
            else return runListStep(step, mirror)
            await mirror.store.declareIndexes(declared)
          }
        }),
        { numRuns: longRuns(8) },
      )
    },
    600_000,
  )

  test.each([0, 64])('texts that are equal as far as an index holds them, lists up to %d sorted', async (shortList) => {
    const store = await PostgresStore.open(
      database,
      `tied ${shortList}`,
      { inlineLength: 0, shortList },
      strictObserver,
    )
    await using _ = store
    const mirror = new Mirror(store)
    const texts = [...longTexts, 'é'.repeat(255), `${'é'.repeat(255)}a`, 'é'.repeat(256), `${'é'.repeat(256)}b`]
    for (const [index, text] of texts.entries()) {
      await mirror.put([...LIST, `b${index}`], text)
      await mirror.put([...LIST, `a${texts.length - index}`], text)
    }
    // All of them are rows; in the short lane every fourth one is asked for.
    for (const text of texts) {
      for (const bound of ['startAt', 'startAfter', 'endAt', 'endBefore', 'equalTo'] as const) {
        for (const value of [text, [text, 'a5'], [text, 'b5']] as const) {
          await mirror.expectAnswers(LIST, { orderBy: '$value', [bound]: value })
          await mirror.expectAnswers(LIST, { orderBy: '$value', [bound]: value, limitToFirst: 3 })
          await mirror.expectAnswers(LIST, { orderBy: '$value', [bound]: value, limitToLast: 3 })
        }
      }
    }
  })
})
