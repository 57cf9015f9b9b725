import { DholeError } from '../../error.ts'
import type { Reach } from '../../rules/decision/may-write-some.ts'
import type { Awaitable } from '../../scheduling/awaitable.ts'
import { atOnce } from '../../scheduling/steps.ts'
import { inTurns, runInTurns } from '../../scheduling/turns.ts'
import type { TreeStore } from '../../store/store.ts'
import type { Limits } from '../../tree/limits.ts'
import { endsInPriority, type Path, type PathLike, toPath } from '../../tree/path.ts'
import { planPatchInSteps, planPut, planPutInSteps, planShortPut, type WritePlan } from '../../tree/write.ts'
import { type Access, checkKeys } from '../access/access.ts'
import { type Admission, RULES, RULES_SINCE } from '../access/authorizer.ts'
import { Denial } from '../access/denial.ts'
import { addToHistory, RULES_HISTORY } from '../access/rules-history.ts'
import type { RulesInForce } from '../access/rules-in-force.ts'
import { AppendOperation } from './append-operation.ts'
import { AuthorizedWrites } from './authorized-writes.ts'
import { recordKey } from './idempotency-key.ts'
import { SetOperation } from './set-operation.ts'
import type { Watchers } from './write-job.ts'
import type { WriteOperation } from './write-operation.ts'
import type { Appended, RequestOptions, WriteMethod, WriteOptions, WriteOutcome } from './write-request.ts'
import { WRITE_SIZE_LIMIT, writeSeconds } from './write-size.ts'

/** Paths that the payload of a method may write to. */
const REACH = { PUT: 'node', POST: 'new-child', PATCH: 'below' } as const satisfies Partial<Record<WriteMethod, Reach>>

/** A method whose write has a payload. */
export type PayloadMethod = keyof typeof REACH

/** How rules are replaced. */
interface RulesReplacement {
  /** See `RulesVersion.by`. */
  readonly by: string
  /** Leaves rules that are stored already. Default false. */
  readonly isFirst?: boolean
  /** Source of the rules to replace. Default: any. */
  readonly expected?: string | undefined
  readonly access?: Access
}

/** Placeholder of the length of a generated key, for the checks before the key exists. */
const ANY_PUSH_ID = '-'.repeat(20)

/** Plans, authorises and commits the writes of one tree. */
export class TreeWrites {
  readonly #store: TreeStore
  readonly #rules: RulesInForce
  readonly #limits: Limits
  readonly #authorized: AuthorizedWrites

  constructor(store: TreeStore, rules: RulesInForce, watchers: Watchers, limits: Limits) {
    this.#store = store
    this.#rules = rules
    this.#limits = limits
    this.#authorized = new AuthorizedWrites(store, rules, watchers)
  }

  admit(method: PayloadMethod, path: Path, access: Access, idempotencyKey: string | undefined): Awaitable<boolean> {
    const admission = this.#rules.admission(path, REACH[method], access)
    if (admission === 'open') return false
    return this.#admit(admission, { as: access.as, idempotencyKey })
  }

  put(path: PathLike, json: unknown, options: RequestOptions): Promise<WriteOutcome> {
    const plan = this.#planPut(toPath(path), json)
    if (plan instanceof Promise) return plan.then((known) => this.#write('PUT', known, options))
    return this.#write('PUT', plan, options)
  }

  delete(path: PathLike, options: WriteOptions): Promise<WriteOutcome> {
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
    const plan = await this.#planPut([...path, ANY_PUSH_ID], json)
    return this.#commit(new AppendOperation(path, plan, options, this.#limits), options)
  }

  async writePlan(plan: WritePlan): Promise<void> {
    if (plan.writes.length > 0) await this.#write('PATCH', plan, { maxSeconds: Number.POSITIVE_INFINITY })
  }

  /**
   * Stores checked rules, and adds them to the history.
   * @throws `admin-state` when others than the expected ones are in force
   */
  async storeRules(source: string, { by, isFirst = false, expected, access = {} }: RulesReplacement): Promise<void> {
    const authorized = this.#authorized
    const rules = this.#rules
    const initial = rules.fallback.source
    await this.#store.commit(function* ({ now }) {
      checkKeys(access)
      const stored = yield { kind: 'setting', name: RULES }
      if (isFirst && stored !== undefined) return { result: undefined }
      const known = typeof stored === 'string' ? stored : undefined
      if (expected !== undefined && known !== expected && rules.sourceOf(known) !== expected) {
        throw new DholeError('admin-state', 'the rules in force are no longer those that were to be replaced')
      }
      authorized.recordRules()
      const since = yield { kind: 'setting', name: RULES_SINCE }
      const history = (yield { kind: 'setting', name: RULES_HISTORY }) as string | undefined
      const before =
        typeof stored === 'string'
          ? { at: Number(since ?? 0), source: stored, by: 'unknown' }
          : { at: now, source: initial, by: 'settings' }
      const settings = [
        [RULES, source],
        [RULES_SINCE, String(now)],
        [RULES_HISTORY, addToHistory(history, { at: now, source, by }, before)],
      ] as const
      return { result: undefined, settings }
    })
  }

  /** @throws `bad-parameter` for an unknown size */
  async storeSizeLimit(size: string): Promise<void> {
    if (writeSeconds(size) === undefined) throw new DholeError('bad-parameter')
    await this.#store.commit(() => atOnce(() => ({ result: undefined, settings: [[WRITE_SIZE_LIMIT, size]] })))
  }

  /** Resolves when all earlier commits are durable. */
  async settled(): Promise<void> {
    await this.#store.commit(() => atOnce(() => ({ result: undefined })))
  }

  async #admit(deciding: Awaitable<Admission>, options: WriteOptions): Promise<boolean> {
    const admission = await deciding
    if (admission instanceof Denial && !(await this.#isRecorded(options))) throw admission
    return admission !== 'open'
  }

  /** Whether an earlier request with the same idempotency key was done. */
  async #isRecorded(options: WriteOptions): Promise<boolean> {
    const key = recordKey(options)
    if (key === undefined) return false
    const { result } = await this.#store.commit(function* () {
      return { result: (yield { kind: 'idempotency-record', key }) !== undefined }
    })
    return result
  }

  #planPut(path: Path, json: unknown): Awaitable<WritePlan> {
    return planShortPut(path, json, this.#limits) ?? runInTurns(planPutInSteps(path, json, this.#limits))
  }

  #write(method: WriteMethod, plan: WritePlan, options: RequestOptions): Promise<WriteOutcome> {
    return this.#commit(new SetOperation(method, plan, options, this.#limits), options)
  }

  #commit<T>(operation: WriteOperation<T>, options: RequestOptions): Promise<T> {
    options.onPlanned?.()
    return this.#authorized.commit(operation, options)
  }
}
