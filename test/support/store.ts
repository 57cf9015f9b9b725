import type { Observer } from '../../src/observer.ts'
import { drain } from '../../src/scheduling/steps.ts'
import type { Commit, Job, JobOutcome, ReadLimit, TreeStore } from '../../src/store/store.ts'
import type { JsonText } from '../../src/tree/json/print.ts'
import { joined } from '../../src/tree/json/text-pieces.ts'
import { defaultLimits } from '../../src/tree/limits.ts'
import { formatPath, parsePath } from '../../src/tree/path.ts'
import { type Reads, TRUSTED } from '../../src/tree/read-program.ts'
import { planPatch, planPut, type WritePlan } from '../../src/tree/write.ts'

export const unlimited: ReadLimit = { maxLength: Number.POSITIVE_INFINITY, timeoutMs: Number.POSITIVE_INFINITY }

/** Fails the test when the store reports trouble that nobody provoked. */
export const strictObserver: Observer = {
  storeFailed(_, error) {
    throw error
  },
  storeTroubled(_, error) {
    throw error
  },
  requestFailed() {},
}

/** The job of a plan, server values filled in as the service does it. */
export function jobOf(plan: WritePlan): Job {
  return function* (context): Reads<JobOutcome<undefined>> {
    const old = new Map<string, number>()
    for (const { path, serverValue } of plan.serverValues) {
      if (serverValue.kind !== 'increment') continue
      const leaf = yield { kind: 'leaf', path }
      if (typeof leaf === 'number') old.set(formatPath(path), leaf)
    }
    const resolved = plan.serverValues.length > 0 ? drain(plan.resolve({ now: context.now, old })) : plan
    const { kind, path, writes } = resolved
    return { result: undefined, change: { kind, path, writes, canStoreAhead: resolved === plan } }
  }
}

export function putJob(path: string, json: unknown): Job {
  return jobOf(planPut(parsePath(path), json, defaultLimits))
}

export function patchJob(path: string, json: unknown): Job {
  return jobOf(planPatch(parsePath(path), json, defaultLimits))
}

/** A job that changes nothing. */
// biome-ignore lint/correctness/useYield: it reads nothing
export const nothing: Job = function* () {
  return { result: undefined }
}

/** A job with one write more, which fails after the others were applied. */
export function unwritable(job: Job): Job {
  return function* (context) {
    const { change, ...outcome } = yield* job(context)
    if (change === undefined) return outcome
    const broken = {
      get kind(): 'value' {
        throw new Error('broken write')
      },
      path: ['never'],
      value: 1,
    }
    return { ...outcome, change: { ...change, writes: [...change.writes, broken] } }
  }
}

export async function commit(store: TreeStore, job: Job): Promise<Commit | undefined> {
  return (await store.commit(job)).commit
}

export function put(store: TreeStore, path: string, json: unknown): Promise<Commit | undefined> {
  return commit(store, putJob(path, json))
}

export function patch(store: TreeStore, path: string, json: unknown): Promise<Commit | undefined> {
  return commit(store, patchJob(path, json))
}

export function remove(store: TreeStore, path: string): Promise<Commit | undefined> {
  return put(store, path, null)
}

/** What GET answers, as text; `undefined` for no node. */
export async function plain(store: TreeStore, path = '/'): Promise<JsonText | undefined> {
  return (await store.node(parsePath(path), unlimited, TRUSTED))?.plain
}

/** What GET with `format=export` answers. */
export async function exported(store: TreeStore, path = '/'): Promise<JsonText | undefined> {
  return (await store.node(parsePath(path), unlimited, TRUSTED))?.export
}

export async function shallow(store: TreeStore, path = '/'): Promise<JsonText | undefined> {
  const text = await store.shallow(parsePath(path), unlimited, undefined, TRUSTED)
  return text === undefined ? undefined : joined(text)
}

export async function count(store: TreeStore, path = '/'): Promise<number> {
  return store.count(parsePath(path), undefined, unlimited, TRUSTED)
}

/** Lets the event loop go round, so that whatever can happen without outside help has happened. */
export async function turns(number = 10): Promise<void> {
  for (let turn = 0; turn < number; turn++) await new Promise(setImmediate)
}

/** What a promise has come to so far, without waiting for it. */
export function watch<T>(promise: Promise<T>): {
  state: 'waiting' | 'resolved' | 'rejected'
  value?: T
  error?: unknown
} {
  const watched: ReturnType<typeof watch<T>> = { state: 'waiting' }
  promise.then(
    (value) => Object.assign(watched, { state: 'resolved', value }),
    (error: unknown) => Object.assign(watched, { state: 'rejected', error }),
  )
  return watched
}

/** `{"k0":…,"k1":…}` with `number` children. */
export function wide<T>(number: number, child: (index: number) => T): Record<string, T> {
  return Object.fromEntries(Array.from({ length: number }, (_, index) => [`k${index}`, child(index)]))
}
