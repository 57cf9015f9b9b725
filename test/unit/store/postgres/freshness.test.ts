import { expect, test } from 'bun:test'
import type { Lanes } from '../../../../src/store/postgres/connection/lanes.ts'
import { Freshness } from '../../../../src/store/postgres/follow/freshness.ts'
import { turns } from '../../../support/store.ts'

/** A database that answers when it is told to. */
function asked() {
  const questions: { answer(batch: number): void; fail(): void }[] = []
  const query = () => {
    const { promise, resolve, reject } = Promise.withResolvers<readonly object[]>()
    questions.push({ answer: (batch) => resolve([{ tree: 1, batch }]), fail: () => reject(new Error('lost')) })
    return promise
  }
  const reads: number[] = []
  const freshness = new Freshness({ query } as unknown as Lanes, (count) => void reads.push(count))
  const read = () => {
    freshness.join(1)
    return freshness.headOf(1)
  }
  const readMany = (count: number) => Promise.all(Array.from({ length: count }, read))
  return { questions, reads, read, readMany }
}

test('few reads are asked for at once, whatever is under way', async () => {
  const { questions, reads, read } = asked()
  const first = read()
  await turns(3)
  const second = read()
  await turns(3)
  expect(reads).toEqual([1, 1])
  questions[1]?.answer(2)
  questions[0]?.answer(1)
  expect(await Promise.all([first, second])).toEqual([1, 2])
})

test('behind a question of many reads others gather, and get an answer that was asked for after they came', async () => {
  const { questions, reads, readMany } = asked()
  const first = readMany(20)
  await turns(3)
  const second = [readMany(3)]
  await turns(1)
  second.push(readMany(4))
  expect(questions.length).toBe(1)
  questions[0]?.answer(1)
  while (questions.length < 2) await turns(1)
  questions[1]?.answer(2)
  expect(new Set(await first)).toEqual(new Set([1]))
  expect(new Set((await Promise.all(second)).flat())).toEqual(new Set([2]))
  expect(reads).toEqual([20, 7])
})

test.each(['lost', 'silent'])('a question that is %s holds nothing up', async (kind) => {
  const { questions, readMany } = asked()
  const first = readMany(20)
  await turns(3)
  const second = readMany(1)
  if (kind === 'lost') {
    questions[0]?.fail()
    await expect(first).rejects.toThrow('lost')
  }
  while (questions.length < 2) await turns(1)
  questions[1]?.answer(2)
  expect(await second).toEqual([2])
})
