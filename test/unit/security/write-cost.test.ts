import { expect, test } from 'bun:test'
import { SetOperation } from '../../../src/database/writes/set-operation.ts'
import { defaultLimits } from '../../../src/tree/limits.ts'
import { planPatch } from '../../../src/tree/write.ts'
import { judge } from '../rules/driver.ts'

/** What the protocol lets the rules of one request cost, in reads of the tree. */
const MOST_READS = 100_000
/** Reads between two moments for others: some thousand steps, of which a read is ten. */
const MOST_READS_BETWEEN_PAUSES = 1_000

function members(number: number, member: (index: number) => [string, unknown]): Record<string, unknown> {
  return Object.fromEntries(Array.from({ length: number }, (_, index) => member(index)))
}

test('what looking for the nodes of priorities costs grows with the writes, not with their square', () => {
  const number = 400
  const plan = planPatch([], { ...members(number, priority), ...members(number, leaf) }, defaultLimits)
  let looks = 0
  const writes = plan.writes.map(
    (write) =>
      new Proxy(write, {
        get: (target, name) => {
          looks++
          return Reflect.get(target, name)
        },
      }),
  )
  const context = { now: 1000, nextPushId: () => '' }
  const job = new SetOperation('PATCH', { ...plan, writes }, {}, defaultLimits).decide(context, undefined)
  for (let step = job.next(undefined); step.done !== true; ) {
    step = job.next(step.value.kind === 'exists' ? true : step.value.kind === 'size' ? 0 : undefined)
  }
  expect(looks).toBeLessThan(50 * writes.length)
})

function priority(index: number): [string, unknown] {
  return [`a${index}/.priority`, 1]
}

function leaf(index: number): [string, unknown] {
  return [`b${index}`, 1]
}

const rules = JSON.stringify({
  rules: {
    '.write': true,
    messages: { $id: { '.validate': "newData.parent().parent().child('members').exists()" } },
  },
})

/** Deletes what is not there, beside one child that stays, and writes as much that is validated by a look at it. */
function manyLooks(number: number): ReturnType<typeof judge> {
  const before = { members: { ann: true } }
  const deletes = members(number, (index) => [`/members/x${index}`, null])
  const writes = members(number, (index) => [`/messages/m${index}`, 'hello'])
  return judge(rules, { before, writes: { ...deletes, ...writes } as Record<string, string | null> })
}

test('a look at a list from which much is deleted is charged for what it reads', () => {
  expect(manyLooks(1_200).reads).toBeLessThanOrEqual(MOST_READS)
})

test('a look at a list from which much is deleted lets others run', () => {
  const { reads, pauses } = manyLooks(300)
  expect(pauses).toBeGreaterThanOrEqual(Math.floor(reads / MOST_READS_BETWEEN_PAUSES))
})
