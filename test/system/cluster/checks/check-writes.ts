import type { History, SentRules, SentWrite } from '../clients/history.ts'
import type { LoggedCommit, TreeLog } from './log-of-tree.ts'
import type { Replay } from './replay.ts'

/** Places of writes in the log, by their id. */
export type Places = ReadonlyMap<string, readonly LoggedCommit[]>

const ID = /w\d+w/g
/** How long a request without an answer may wait in a process, in milliseconds. */
const UNANSWERED_MS = 20_000

/** Finds every write in the log: by the id in its data, or by the path of what it deletes. */
export function placesOf({ commits }: TreeLog): Places {
  const places = new Map<string, LoggedCommit[]>()
  for (const commit of commits) {
    const ids = commit.data === 'null' ? [commit.path] : new Set(commit.data.match(ID))
    for (const id of ids) {
      const found = places.get(id)
      if (found === undefined) places.set(id, [commit])
      else found.push(commit)
    }
  }
  return places
}

/** Every acknowledged write is there exactly once, what was refused is not there, and what is there was sent. */
export function checkOnce({ writes }: History, places: Places): string[] {
  const problems: string[] = []
  const known = new Set(writes.map(({ id }) => id))
  for (const { id, what, outcome, isKeyed, status } of writes) {
    const count = places.get(id)?.length ?? 0
    const [least, most] = outcome === 'acknowledged' ? [1, 1] : [0, outcome === 'refused' ? 0 : 1]
    if (count < least || count > most) {
      const key = isKeyed ? ' with a key' : ''
      problems.push(`${what} ${id}${key}: ${outcome} (${status}), and done ${count} times`)
    }
  }
  for (const id of places.keys()) if (id.startsWith('w') && !known.has(id)) problems.push(`${id}: nobody has sent it`)
  return problems
}

/** What was acknowledged before another one was sent comes before it. */
export function checkOrder({ writes }: History, places: Places): string[] {
  const problems: string[] = []
  const bounds = new AcknowledgedBefore(writes, places)
  for (const write of writes) {
    const seq = places.get(write.id)?.[0]?.seq
    if (seq === undefined) continue
    const before = bounds.at(write.sentAt)
    if (before >= seq)
      problems.push(`${write.what} ${write.id}: is ${seq}, and ${before} was acknowledged before it was sent`)
  }
  return problems
}

/** Generated keys increase in the order of the commits, and each POST was told its own. */
export function checkKeys({ writes }: History, { commits }: TreeLog, places: Places): string[] {
  const problems: string[] = []
  let last = ''
  for (const { path, data, seq } of commits) {
    if (!path.startsWith('/list/') || data === 'null') continue
    if (path <= last) problems.push(`${seq}: the key of ${path} is not after ${last}`)
    last = path
  }
  for (const { id, name } of writes) {
    const path = places.get(id)?.[0]?.path
    if (name !== undefined && path !== `/list/${name}`) problems.push(`${id}: told ${name}, and is at ${path}`)
  }
  return problems
}

/** A write with `if-match` was done on what it was conditional on, and refused only if there was something else. */
export function checkConditions({ writes }: History, places: Places, replay: Replay): string[] {
  const problems: string[] = []
  const acknowledged = new AcknowledgedBefore(writes, places)
  const sent = new SentAfter(writes, places)
  for (const { id, what, condition, outcome, sentAt, endedAt, status } of writes) {
    if (condition === undefined) continue
    const { place, text } = condition
    const seq = places.get(id)?.[0]?.seq
    if (seq !== undefined && replay.textAt(place, seq - 1) !== text)
      problems.push(`${what} ${id}: its condition did not hold`)
    if (outcome !== 'refused' || status !== 412) continue
    const [first, last] = [acknowledged.at(sentAt), sent.at(endedAt)]
    const all = replay.versions(place).slice(replay.indexAt(place, first), replay.indexAt(place, last) + 1)
    if (all.every((version) => version.text === text)) problems.push(`${what} ${id}: refused, and its condition held`)
  }
  return problems
}

/** Rules are in force from their batch on, and were put once, in order. */
export function checkRules(history: History, log: TreeLog): string[] {
  const problems: string[] = []
  const put = [...log.rules].flatMap(([version, batches]) => batches.map((batch) => ({ version, batch })))
  const inOrder = put.toSorted((one, other) => one.batch - other.batch)
  const hidden = new Set<number>()
  for (const rules of history.rules) {
    const { version, outcome } = rules
    const count = log.rules.get(version)?.length ?? 0
    const isHidden = count === 0 && mayBeHidden(rules, history, log)
    if (isHidden) hidden.add(version)
    const least = outcome === 'acknowledged' && !isHidden ? 1 : 0
    if (count < least || count > 1) problems.push(`rules ${version}: ${outcome}, put ${count} times`)
  }
  let at = 0
  for (const { batch, path, data, seq } of log.commits) {
    while ((inOrder[at + 1]?.batch ?? Number.POSITIVE_INFINITY) < batch) at++
    if (path !== '/gate') continue
    const { v } = JSON.parse(data) as { v: number }
    const [before, next] = [inOrder[at], inOrder[at + 1]]
    const inForce = [before?.version]
    // A batch that puts rules may hold writes in front of them, behind them, and between rules that they hide.
    if (next?.batch === batch) inForce.push(next.version, ...hidden)
    if (!inForce.includes(v)) problems.push(`${seq}: written under rules ${v}, in force were ${inForce.join(' or ')}`)
  }
  return problems
}

/**
 * Whether other rules may have followed in the same batch, whose row has only the last. Of two requests to one process the
 * later one may be read first: each has a connection of its own, and a process that was stopped or busy finds both there.
 * The sender waits for one answer before it sends the next rules, unless it has given up: so the others are some whose answer it
 * has not got. Acknowledged rules were then in force for writes between the two. `commit-order.test.ts` shows such a batch.
 */
function mayBeHidden({ version, sentAt, endedAt }: SentRules, { rules }: History, log: TreeLog): boolean {
  return rules.some(
    (other) =>
      other.version !== version &&
      other.outcome === 'unknown' &&
      other.sentAt < endedAt &&
      other.sentAt > sentAt - UNANSWERED_MS &&
      log.rules.has(other.version),
  )
}

/** The greatest number acknowledged before a time. */
export class AcknowledgedBefore {
  readonly #times: number[] = []
  readonly #greatest: number[] = []

  constructor(writes: readonly SentWrite[], places: Places) {
    const done = writes.filter(({ outcome }) => outcome === 'acknowledged')
    let greatest = 0
    for (const { id, endedAt } of done.toSorted((one, other) => one.endedAt - other.endedAt)) {
      greatest = Math.max(greatest, places.get(id)?.[0]?.seq ?? 0)
      this.#times.push(endedAt)
      this.#greatest.push(greatest)
    }
  }

  at(time: number): number {
    return this.#greatest[firstNotBelow(this.#times, time) - 1] ?? 0
  }
}

/** The greatest number that can have been committed before a time: all sent later come after it. */
export class SentAfter {
  readonly #times: number[] = []
  readonly #least: number[] = []

  constructor(writes: readonly SentWrite[], places: Places) {
    const sent = writes.flatMap(({ id, sentAt }) => {
      const seq = places.get(id)?.[0]?.seq
      return seq === undefined ? [] : [{ sentAt, seq }]
    })
    let least = Number.POSITIVE_INFINITY
    for (const { sentAt, seq } of sent.toSorted((one, other) => other.sentAt - one.sentAt)) {
      least = Math.min(least, seq)
      this.#times.push(sentAt)
      this.#least.push(least)
    }
    this.#times.reverse()
    this.#least.reverse()
  }

  at(time: number): number {
    return (this.#least[firstNotBelow(this.#times, time)] ?? Number.POSITIVE_INFINITY) - 1
  }
}

/** Index of the first of ascending numbers that is not below a bound. */
function firstNotBelow(numbers: readonly number[], bound: number): number {
  let [low, high] = [0, numbers.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((numbers[middle] ?? 0) < bound) low = middle + 1
    else high = middle
  }
  return low
}
