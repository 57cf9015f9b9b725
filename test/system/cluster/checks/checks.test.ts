import { describe, expect, test } from 'bun:test'
import { History, type Outcome, type SentWrite } from '../clients/history.ts'
import type { Told } from '../clients/listener.ts'
import { Messages } from '../clients/message-client.ts'
import { checkDoorReads } from './check-door-reads.ts'
import { checkMessages } from './check-messages.ts'
import { checkReads } from './check-reads.ts'
import { checkStream } from './check-streams.ts'
import { checkConditions, checkKeys, checkOnce, checkOrder, checkRules, placesOf } from './check-writes.ts'
import type { LoggedCommit, TreeLog } from './log-of-tree.ts'
import { Replay } from './replay.ts'

/** A log of puts, numbered from 1, each in its own batch. */
function logOf(...puts: readonly (readonly [path: string, json: unknown])[]): TreeLog {
  const commits = puts.map(
    ([path, json], index): LoggedCommit => ({
      seq: index + 1,
      batch: index + 1,
      kind: 'put',
      path,
      data: JSON.stringify(json),
    }),
  )
  return { commits, rules: new Map(), rulesPutAt: [], problems: [] }
}

function write(id: string, sentAt: number, endedAt: number, more: Partial<SentWrite> = {}): SentWrite {
  const outcome: Outcome = 'acknowledged'
  return { id, what: 'PUT', sentAt, endedAt, isKeyed: false, outcome, status: 200, ...more }
}

function historyOf(...writes: readonly SentWrite[]): History {
  const history = new History()
  history.writes.push(...writes)
  return history
}

const putOf = (id: string) => ['/k/0', { id }] as const
const log = logOf(putOf('w1w'), putOf('w2w'), putOf('w3w'))
const [places, replay] = [placesOf(log), new Replay(log.commits)]
const inOrder = historyOf(write('w1w', 0, 1), write('w2w', 2, 3), write('w3w', 4, 5))

describe('the checks of a cluster', () => {
  test('find an acknowledged write that is not there, one that is there twice, and a refused one that is there', () => {
    expect(checkOnce(inOrder, places)).toEqual([])
    expect(checkOnce(historyOf(...inOrder.writes, write('w4w', 0, 1)), places)).toHaveLength(1)
    const twice = placesOf(logOf(putOf('w1w'), putOf('w2w'), putOf('w3w'), putOf('w2w')))
    expect(checkOnce(inOrder, twice)).toHaveLength(1)
    const refused = historyOf(write('w1w', 0, 1, { outcome: 'refused' }), write('w2w', 2, 3), write('w3w', 4, 5))
    expect(checkOnce(refused, places)).toHaveLength(1)
    const unknown = historyOf(...inOrder.writes, write('w4w', 0, 1, { outcome: 'unknown' }))
    expect(checkOnce(unknown, places)).toEqual([])
    expect(checkOnce(historyOf(write('w1w', 0, 1), write('w2w', 2, 3)), places)).toHaveLength(1)
  })

  test('find a write that comes before one acknowledged before it was sent', () => {
    expect(checkOrder(inOrder, places)).toEqual([])
    expect(checkOrder(historyOf(write('w1w', 2, 3), write('w2w', 0, 1), write('w3w', 4, 5)), places)).toHaveLength(1)
    expect(checkOrder(historyOf(write('w1w', 0, 9), write('w2w', 0, 1), write('w3w', 4, 5)), places)).toEqual([])
  })

  test('find generated keys out of order, and a key that was told to another', () => {
    const posted = logOf(['/list/a', { id: 'w1w' }], ['/list/c', { id: 'w2w' }], ['/list/b', { id: 'w3w' }])
    const told = historyOf(write('w1w', 0, 1, { name: 'a' }), write('w2w', 0, 1, { name: 'b' }))
    expect(checkKeys(told, posted, placesOf(posted))).toHaveLength(2)
  })

  test('find a conditional write that was done on another text, and one that was refused for nothing', () => {
    const condition = { place: '/k/0', text: '{"id":"w1w"}' }
    const done = (id: string) => historyOf(write(id, 0, 9, { condition }))
    expect(checkConditions(done('w2w'), places, replay)).toEqual([])
    expect(checkConditions(done('w3w'), places, replay)).toHaveLength(1)
    const refused = (sentAt: number, endedAt: number) => {
      const conditional = write('w9w', sentAt, endedAt, { condition, outcome: 'refused', status: 412 })
      return historyOf(...inOrder.writes, conditional)
    }
    expect(checkConditions(refused(1.2, 1.5), places, replay)).toHaveLength(1)
    expect(checkConditions(refused(1.2, 3), places, replay)).toEqual([])
  })

  test('find a GET that is too old, one that is too new, and one that goes back behind another', () => {
    const problems = (...reads: readonly (readonly [id: string, sentAt: number, endedAt: number])[]) => {
      const history = historyOf(...inOrder.writes)
      for (const [id, sentAt, endedAt] of reads) {
        history.reads.push({ place: '/k/0', text: `{"id":"${id}"}`, sentAt, endedAt })
      }
      return checkReads(history, places, replay).length
    }
    expect(problems(['w1w', 1.5, 1.8], ['w2w', 2.5, 4.5], ['w3w', 6, 7])).toBe(0)
    expect(problems(['w1w', 3.5, 3.8])).toBe(1)
    expect(problems(['w3w', 3.5, 3.8])).toBe(1)
    expect(problems(['w2w', 2.1, 2.2], ['w1w', 2.3, 2.4])).toBe(1)
    expect(problems(['w7w', 2.1, 2.2])).toBe(1)
  })

  test('find an event that is missing, told twice, out of order or wrong, and a stream that begins anew', () => {
    const event = (seq: number, more: Partial<Told> = {}): Told => ({
      tree: 'one',
      seq,
      kind: 'put',
      path: seq === 1 ? '/' : '/id',
      data: seq === 1 ? { id: 'w1w' } : `w${seq}w`,
      ...more,
    })
    const problems = (...told: readonly Told[]) => checkStream('/k/0', told, replay).length
    expect(problems(event(1), event(2), event(3))).toBe(0)
    expect(problems(event(1), event(3))).toBeGreaterThan(0)
    expect(problems(event(1), event(2))).toBeGreaterThan(0)
    expect(problems(event(1), event(2), event(2), event(3))).toBeGreaterThan(0)
    expect(problems(event(1), event(3), event(2), event(3))).toBeGreaterThan(0)
    expect(problems(event(1), event(2, { data: 'w9w' }), event(3))).toBeGreaterThan(0)
    const anew = event(3, { path: '/', data: { id: 'w3w' } })
    expect(problems(event(1), anew)).toBeGreaterThan(0)
    expect(problems(event(1), { ...anew, tree: 'two' })).toBe(0)
    expect(checkStream('/k/0', [event(1), anew], replay, { rulesPutAt: [2] })).toEqual([])
  })

  test('find rules that are put twice, and a write under rules that are not in force', () => {
    const gate = logOf(['/gate', { v: 1, id: 'w1w' }], ['/gate', { v: 2, id: 'w2w' }], ['/gate', { v: 1, id: 'w3w' }])
    const rules = (...batches: readonly number[]) => {
      const put: TreeLog = {
        ...gate,
        rules: new Map([
          [1, [0]],
          [2, batches],
        ]),
      }
      const history = historyOf()
      history.rules.push({ version: 2, sentAt: 0, endedAt: 1, outcome: 'acknowledged' })
      return checkRules(history, put)
    }
    expect(rules(2)).toHaveLength(1)
    expect(rules(1)).toHaveLength(1)
    expect(rules()).toHaveLength(2)
    expect(rules(2, 3)).not.toEqual([])
  })

  test('know of acknowledged rules that unanswered ones hide in their batch, and find writes under none of them', () => {
    const problemsOf = (v: number, unanswered: number) => {
      const history = historyOf()
      history.rules.push({ version: 2, sentAt: 0, endedAt: 1, outcome: 'unknown' })
      history.rules.push({ version: 3, sentAt: 2, endedAt: 3, outcome: 'acknowledged' })
      const rules = new Map([
        [1, [0]],
        [unanswered, [1]],
      ])
      return checkRules(history, { ...logOf(['/gate', { v, id: 'w1w' }]), rules })
    }
    for (const v of [1, 2, 3]) expect(problemsOf(v, 2)).toEqual([])
    expect(problemsOf(4, 2)).toHaveLength(1)
    // Rules that nobody has sent hide nothing.
    expect(problemsOf(1, 9)).toHaveLength(1)
  })

  test('find a read under rules that others had replaced, or that were not put yet', () => {
    const rules = new Map([
      [1, [0]],
      [2, [1]],
      [4, [2]],
      [3, [3]],
    ])
    const problemsOf = (isAllowed: boolean, sentAt: number, endedAt: number) => {
      const history = historyOf()
      history.rules.push({ version: 2, sentAt: 10, endedAt: 20, outcome: 'acknowledged' })
      history.rules.push({ version: 3, sentAt: 30, endedAt: 40, outcome: 'unknown' })
      history.rules.push({ version: 4, sentAt: 50, endedAt: 60, outcome: 'acknowledged' })
      history.doorReads.push({ isAllowed, sentAt, endedAt })
      return checkDoorReads(history, { ...logOf(), rules }).length
    }
    expect([problemsOf(true, 1, 9), problemsOf(false, 1, 9)]).toEqual([1, 0])
    expect([problemsOf(true, 11, 19), problemsOf(false, 11, 19)]).toEqual([0, 0])
    expect([problemsOf(true, 21, 29), problemsOf(false, 21, 29)]).toEqual([0, 1])
    // Those without an answer came into force at any time after they were sent.
    expect([problemsOf(true, 41, 49), problemsOf(false, 41, 49)]).toEqual([0, 0])
    expect([problemsOf(true, 70, 80), problemsOf(false, 70, 80)]).toEqual([0, 0])
  })

  test('find a message that nobody was told of, and one that is told again without a fault', () => {
    const messages = new Messages()
    for (const name of ['one', 'two']) {
      messages.sent.add(name)
      messages.reported.add(name)
    }
    messages.tell('one', { sentAt: 1, endedAt: 2 })
    expect(checkMessages(messages, 0)).toHaveLength(1)
    messages.tell('two', { sentAt: 1, endedAt: 2 })
    messages.tell('two', { sentAt: 3, endedAt: 4 })
    expect(checkMessages(messages, 2)).toEqual([])
    expect(checkMessages(messages, 0)).toHaveLength(1)
    messages.tell('three', { sentAt: 1, endedAt: 2 })
    expect(checkMessages(messages, 2)).toHaveLength(1)
  })
})
