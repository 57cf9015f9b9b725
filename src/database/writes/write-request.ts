import { drain, type Steps } from '../../scheduling/steps.ts'
import { etagOf } from '../../tree/json/etag.ts'
import type { NodeText } from '../../tree/json/node-text.ts'
import { print } from '../../tree/json/print.ts'
import { etagInSteps } from '../../tree/json/print-steps.ts'
import { isLargePlan, type WritePlan } from '../../tree/write.ts'
import type { Access } from '../access/access.ts'
import type { WriteOrder } from './order/write-order.ts'

/** Method of a write request. Equal data sent with another method is another request. */
export type WriteMethod = 'PUT' | 'PATCH' | 'POST' | 'DELETE'

/** A value that the client of a session has left to be written. */
export interface LeftValue {
  readonly session: string
  readonly position: number
  /** Whether it is the last one: the session is removed with it. */
  readonly isLast: boolean
}

/** A left value is not stored any more, or belongs to another process: it was written, or will be. */
export class ValueGone extends Error {
  override readonly name = 'ValueGone'
}

/** Conditions on a write, and its caller. */
export interface WriteOptions extends Access {
  /** Write only if the node has this tag; `null_etag` for no node, `*` for any. */
  readonly ifMatch?: string | undefined
  /** Write only if the node has this hash, see `simpleHashInSteps`; empty for no node. */
  readonly ifHash?: string | undefined
  /**
   * The value of a stored session that this writes. It is removed with the write, which takes place only while the value is
   * stored for this process: else it fails with `ValueGone`. A write that is refused removes nothing.
   */
  readonly leftValue?: LeftValue | undefined
  /** Keeps it behind the writes that were queued with the same order before. Such a write is not written ahead, so it is short. */
  readonly order?: WriteOrder | undefined
  /** Judges the write, and writes nothing. */
  readonly isTrial?: boolean | undefined
  /** Refuse a write estimated to take longer, in seconds. Default: the limit set for the tree. */
  readonly maxSeconds?: number | undefined
  /**
   * Names this request, with 1 to 255 printable ASCII characters. The same request within a day gets the same answer and
   * writes nothing. The caller must not use the key for another request.
   */
  readonly idempotencyKey?: string | undefined
  /** Distinguishes payloads when requests are compared. Default: their JSON text. */
  readonly digest?: string | undefined
}

/** Options of a write whose payload may be invalid. */
export interface RequestOptions extends WriteOptions {
  /** Called when the payload is valid, before authorisation. Not called for a payload that writes nothing. */
  readonly onPlanned?: (() => void) | undefined
}

/** Outcome of a valid write. */
export type WriteOutcome =
  | {
      readonly kind: 'written'
      /** The payload as sent, with server values filled in. */
      readonly json: unknown
      /** Tag of the written node; unknown after a patch. */
      readonly etag: string | undefined
      /** Present if an earlier request wrote it and this one wrote nothing. */
      readonly replayed?: true
    }
  | {
      /** The condition did not hold; nothing is written. */
      readonly kind: 'mismatch'
      readonly current: NodeText | undefined
      /** Present if an earlier request got this answer. */
      readonly replayed?: true
    }

/** A child appended under a generated key. */
export interface Appended {
  readonly name: string
  readonly etag: string
  /** Set when an earlier request with the same idempotency key has appended the child. */
  readonly replayed?: true
}

/** Added to an outcome that was restored from a record. */
export const REPLAYED = { replayed: true } as const

/** Outcome of a write with its server values filled in. */
export function written(plan: WritePlan): WriteOutcome {
  const outcome: WriteOutcome = {
    kind: 'written',
    json: plan.json,
    // Computed on demand: it prints the value once more, and few callers need it.
    get etag() {
      return plan.kind === 'put' ? etagAfter(plan) : undefined
    },
  }
  rememberLarge(outcome, plan)
  return outcome
}

/** Outcome of an append with its server values filled in. */
export function appended(name: string, plan: WritePlan): Appended {
  const outcome: Appended = {
    name,
    get etag() {
      return etagAfter(plan)
    },
  }
  rememberLarge(outcome, plan)
  return outcome
}

/** Tag of the node that a put leaves. */
function etagAfter(plan: WritePlan): string {
  return drain(etagAfterInSteps(plan))
}

/** Tag of the node that a put leaves, computed with pauses if it is large. */
export function* etagAfterInSteps(plan: WritePlan): Steps<string> {
  const write = plan.writes[0]
  const value = write?.kind === 'priority' ? write.priority : write?.value
  if (isLargePlan(plan)) return yield* etagInSteps(value)
  return etagOf(value === undefined ? undefined : print(value, 'stored'))
}

/** Plans of large writes, by their outcomes. */
const largePlans = new WeakMap<WriteOutcome | Appended, WritePlan>()

function rememberLarge(outcome: WriteOutcome | Appended, plan: WritePlan): void {
  if (isLargePlan(plan)) largePlans.set(outcome, plan)
}

/** The plan of a large write, whose answer is to be printed with pauses; `undefined` for a small one. */
export function largePlanOf(outcome: WriteOutcome | Appended): WritePlan | undefined {
  return largePlans.get(outcome)
}
