import { DholeError } from '../../error.ts'
import type { Reach } from '../../rules/decision/may-write-some.ts'
import type { Awaitable } from '../../scheduling/awaitable.ts'
import { inTurns, runInTurns } from '../../scheduling/turns.ts'
import type { TreeStore } from '../../store/store.ts'
import type { Limits } from '../../tree/limits.ts'
import { endsInPriority, type Path, type PathLike, toPath } from '../../tree/path.ts'
import { planPatchInSteps, planPut, planPutInSteps, planShortPut, type WritePlan } from '../../tree/write.ts'
import type { Access } from '../access/access.ts'
import { type Admission, RULES, RULES_SINCE } from '../access/authorizer.ts'
import type { ReadAccess } from '../access/read-access.ts'
import type { Streams } from '../streams/streams.ts'
import { noteKey, repeatable, type WriteMethod } from './idempotency-key.ts'
import { appendOnce, writeOnce } from './idempotent-write.ts'
import { AuthorizedWrites } from './judged-writes.ts'
import { PlanResolver } from './plan-resolver.ts'
import {
  type Appended,
  appendJob,
  type JobParts,
  type NewChild,
  type RequestOptions,
  type WriteOptions,
  type WriteOutcome,
  writeJob,
} from './write-job.ts'
import { WRITE_SIZE_LIMIT, writeSeconds } from './write-size.ts'

/** Paths that the payload of a method may write to. */
const REACH = { PUT: 'node', POST: 'new-child', PATCH: 'below' } as const satisfies Partial<Record<WriteMethod, Reach>>

/** A method whose write has a payload. */
export type PayloadMethod = keyof typeof REACH

/** Placeholder of the length of a generated key, for the checks before the key exists. */
const ANY_PUSH_ID = '-'.repeat(20)

/** Plans, authorises and commits the writes of one tree. */
export class TreeWrites {
  readonly #store: TreeStore
  readonly #access: ReadAccess
  readonly #streams: Streams
  readonly #limits: Limits
  readonly #authorized: AuthorizedWrites
  readonly #onWrite: JobParts['onWrite'] = (writes) => this.#authorized.note(writes)

  constructor(store: TreeStore, access: ReadAccess, streams: Streams, limits: Limits) {
    this.#store = store
    this.#access = access
    this.#streams = streams
    this.#limits = limits
    this.#authorized = new AuthorizedWrites(store, access)
  }

  admit(method: PayloadMethod, path: Path, access: Access, idempotencyKey: string | undefined): Awaitable<boolean> {
    const admission = this.#access.admission(path, REACH[method], access)
    if (admission === 'open') return false
    return this.#admit(admission, { as: access.as, idempotencyKey })
  }

  async put(path: PathLike, json: unknown, options: RequestOptions): Promise<WriteOutcome> {
    return this.#write('PUT', await this.#planPut(toPath(path), json), options)
  }

  async delete(path: PathLike, options: WriteOptions): Promise<WriteOutcome> {
    return this.#write('DELETE', planPut(toPath(path), null, this.#limits), options)
  }

  async patch(where: PathLike, json: unknown, options: RequestOptions): Promise<WriteOutcome> {
    const path = toPath(where)
    if (endsInPriority(path)) throw new DholeError('priority-method')
    // `firebase database:remove` sends `null`.
    if (json === null) return this.#write('PATCH', planPut(path, null, this.#limits), options)
    const plan = await inTurns(planPatchInSteps(path, json, this.#limits))
    // An empty patch is not authorised, so it leaves nothing behind, no idempotency key either.
    if (plan.writes.length === 0) return { kind: 'written', json, etag: undefined }
    return this.#write('PATCH', plan, options)
  }

  async post(where: PathLike, json: unknown, options: RequestOptions): Promise<Appended> {
    const path = toPath(where)
    if (endsInPriority(path)) throw new DholeError('priority-method')
    const checked = await this.#planPut([...path, ANY_PUSH_ID], json)
    options.onPlanned?.()
    let appended: Appended | undefined
    const decide = (decided: Appended) => {
      appended = decided
    }
    const parts = this.#jobParts(checked, options)
    const { resolver } = parts
    const asked = repeatable({ method: 'POST', path, json }, options)
    const child = newChild(path)
    await this.#authorized.commit({
      access: options,
      isRepeatable: asked !== undefined,
      attempt: (given, authorizer) => {
        const context = resolver?.contextOf(given) ?? given
        return asked === undefined
          ? appendJob(child, checked, { ...parts, authorizer, onWrite: this.#onWrite }, context, decide)
          : appendOnce(asked, child, checked, { ...parts, authorizer, onWrite: this.#onWrite }, context, decide)
      },
      rehearse: (given, authorizer, onDecided) => {
        const context = resolver?.contextOf(given) ?? given
        return appendJob(child, checked, { ...parts, authorizer }, context, onDecided)
      },
    })
    if (appended === undefined) throw new DholeError('internal')
    return appended
  }

  async writePlan(plan: WritePlan): Promise<void> {
    if (plan.writes.length > 0) await this.#write('PATCH', plan, { maxSeconds: Number.POSITIVE_INFINITY })
  }

  /** Replaces the rules by checked ones. */
  async storeRules(source: string): Promise<void> {
    const authorized = this.#authorized
    // biome-ignore lint/correctness/useYield: the job reads nothing
    await this.#store.commit(function* ({ now }) {
      authorized.noteRules()
      const texts = [
        [RULES, source],
        [RULES_SINCE, String(now)],
      ] as const
      return { kind: 'settings', texts }
    })
  }

  /** @throws `bad-parameter` for an unknown size */
  async storeSizeLimit(size: string): Promise<void> {
    if (writeSeconds(size) === undefined) throw new DholeError('bad-parameter')
    // biome-ignore lint/correctness/useYield: the job reads nothing
    await this.#store.commit(function* () {
      return { kind: 'settings', texts: [[WRITE_SIZE_LIMIT, size]] }
    })
  }

  /** Resolves when all earlier commits are durable. */
  async settled(): Promise<void> {
    // biome-ignore lint/correctness/useYield: the job reads nothing
    await this.#store.commit(function* () {
      return undefined
    })
  }

  async #admit(deciding: Awaitable<Admission>, options: WriteOptions): Promise<boolean> {
    const admission = await deciding
    if (admission === 'refused' && !(await this.#isNoted(options))) throw new DholeError('permission-denied')
    return admission !== 'open'
  }

  /** Whether an earlier request with the same idempotency key was done. */
  async #isNoted(options: WriteOptions): Promise<boolean> {
    const key = noteKey(options)
    if (key === undefined) return false
    let isNoted = false
    await this.#store.commit(function* () {
      isNoted = (yield { kind: 'note', key }) !== undefined
      return undefined
    })
    return isNoted
  }

  #planPut(path: Path, json: unknown): Awaitable<WritePlan> {
    return planShortPut(path, json, this.#limits) ?? runInTurns(planPutInSteps(path, json, this.#limits))
  }

  async #write(method: WriteMethod, plan: WritePlan, options: RequestOptions): Promise<WriteOutcome> {
    options.onPlanned?.()
    let outcome: WriteOutcome | undefined
    const decide = (decided: WriteOutcome) => {
      outcome = decided
    }
    const parts = this.#jobParts(plan, options)
    const { resolver } = parts
    const asked = repeatable({ method, path: plan.path, json: plan.json }, options)
    await this.#authorized.commit({
      access: options,
      isRepeatable: asked !== undefined,
      attempt: (given, authorizer) => {
        const context = resolver?.contextOf(given) ?? given
        return asked === undefined
          ? writeJob(plan, { ...parts, authorizer, onWrite: this.#onWrite }, context, decide)
          : writeOnce(asked, plan, { ...parts, authorizer, onWrite: this.#onWrite }, context, decide)
      },
      rehearse: (given, authorizer, onDecided) => {
        const context = resolver?.contextOf(given) ?? given
        return writeJob(plan, { ...parts, authorizer }, context, onDecided)
      },
    })
    if (outcome === undefined) throw new DholeError('internal')
    return outcome
  }

  #jobParts(plan: WritePlan, options: WriteOptions): Omit<JobParts, 'authorizer'> {
    return {
      resolver: PlanResolver.for(plan),
      options,
      limits: this.#limits,
      watchedBelow: (path, inclusive) => this.#streams.watchedBelow(path, inclusive),
      formsAt: (path) => this.#streams.formsAt(path),
    }
  }
}

/** A child whose key is generated once, however often its job runs. */
function newChild(path: Path): NewChild {
  let name: string | undefined
  return {
    path,
    name: (context) => {
      name ??= context.nextPushId()
      return name
    },
  }
}
