import { DholeError } from '../../../error.ts'
import type { Awaitable } from '../../../scheduling/awaitable.ts'
import type { IndexName } from './index-name.ts'

/** Maximum builds for one query: a write may replace the list, and so drop its index, after each build. */
const ATTEMPTS = 3
/** Maximum delay of a timer. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

/** Result of a query that needs an index to be built first. */
export class MissingIndex implements IndexName {
  readonly listId: number
  readonly name: string

  constructor(listId: number, name: string) {
    this.listId = listId
    this.name = name
  }
}

/** How a query is answered. Times are in milliseconds. */
interface Attempts<T> {
  /** Resolves when the index is there, rejects when it cannot be built. */
  want(index: IndexName): Promise<void>
  attempt(timeoutMs: number): Awaitable<T | MissingIndex>
  /** Answers without the index. */
  without(timeoutMs: number): Awaitable<T>
}

/** Has a missing index built and tries again; after `ATTEMPTS` builds, or when it cannot be built, it reads without the index. */
export async function afterBuild<T>(missing: MissingIndex, timeoutMs: number, attempts: Attempts<T>): Promise<T> {
  const deadline = performance.now() + timeoutMs
  const rest = () => Math.max(deadline - performance.now(), 0)
  let found: T | MissingIndex = missing
  for (let attempt = 1; found instanceof MissingIndex && attempt <= ATTEMPTS; attempt++) {
    const isBuilt = await within(rest(), attempts.want(found))
    if (!isBuilt) break
    found = await attempts.attempt(rest())
  }
  return found instanceof MissingIndex ? attempts.without(rest()) : found
}

/** Whether a promise resolves. @throws `read-too-big` when it does not settle in time */
async function within(timeoutMs: number, promise: Promise<void>): Promise<boolean> {
  const kept = promise.then(
    () => true,
    () => false,
  )
  if (timeoutMs > LONGEST_TIMER_MS) return kept
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new DholeError('read-too-big')), timeoutMs)
  try {
    return await Promise.race([kept, late.promise])
  } finally {
    clearTimeout(timer)
  }
}
