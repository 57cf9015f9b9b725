import { mobiles } from '../../protocol/sms/calls.ts'
import type { Listening } from '../../support/event-source.ts'
import type { Name, Said, Write } from './ledger.ts'
import { type Action, NAMES, type Saying } from './plan.ts'
import { batchRequest, dlrRequest, newsRequest, recordRequest, reportRequest } from './requests.ts'
import { WireCall } from './wire-call.ts'

/** A call that has begun, and what it means. */
export type Call =
  | { readonly kind: 'write'; readonly wire: WireCall; readonly write: Write }
  /** A batch without a name: that comes with the answer. */
  | { readonly kind: 'nameless'; readonly wire: WireCall; readonly mobiles: readonly string[] }
  | { readonly kind: 'batch'; readonly wire: WireCall; readonly rrid: string }
  | NewsCall

/** A call of the batch query. */
export interface NewsCall {
  readonly kind: 'news'
  readonly wire: WireCall
  /** Whether its answer is longer than what the systems of both sides take of it. */
  readonly isHuge: boolean
}

export type CallAction = Exclude<Action, { kind: 'unstall' }>

/** In which situation a step begins. */
export interface Situation {
  readonly listening: Listening
  /** Number of the step. */
  readonly step: number
  /** Names of the messages that calls may be about. */
  readonly keys: readonly string[]
  readonly isHuge: boolean
  /** Hears of all that is seen of calls. */
  readonly onSeen: () => void
}

/** When carriers report, at the earliest. */
export const BEGINNING = Date.UTC(2026, 10, 21, 10, 0, 0)
/** Numbers of batches that have no name of ours: each batch has others. */
const NAMELESS = 100_000_000
const MOST_ACTIONS = 100
const MOST_IN_BATCH = 100
/** Ids of messages come again after so many steps, never within one. */
const ID_CYCLE = 3

/** Sends the call of an action. @param index number of the action in its step */
export function begin(action: CallAction, index: number, situation: Situation): Call {
  const { listening, onSeen, isHuge } = situation
  switch (action.kind) {
    case 'record':
      return beginRecord(action, index, situation)
    case 'report': {
      const said = action.sayings.map((saying) => saidOf(saying, placeOf(saying, situation)))
      const wire = new WireCall(listening, reportRequest(said, action.isSpoiled), { onSeen })
      return { kind: 'write', wire, write: { kind: 'report', said, isSpoiled: action.isSpoiled } }
    }
    case 'dlr': {
      const { saying, naming } = action
      const name = naming === 'place' ? placeOf(saying, situation) : { messageId: idOf(saying.message, situation) }
      // A code that is not known is a failure here.
      const said = { ...saidOf(saying, name), isSuccess: false }
      const wire = new WireCall(listening, dlrRequest(said, naming), { onSeen })
      return { kind: 'write', wire, write: { kind: 'report', said: [said], isSpoiled: false } }
    }
    case 'batch': {
      const rrid = NAMES[action.name] ?? ''
      return { kind: 'batch', wire: new WireCall(listening, batchRequest(rrid), { onSeen }), rrid }
    }
    case 'news': {
      const { conduct, http2 } = action
      return { kind: 'news', wire: new WireCall(listening, newsRequest(), { onSeen, conduct, http2 }), isHuge }
    }
    default:
      return action satisfies never
  }
}

function beginRecord(action: Action & { kind: 'record' }, index: number, { listening, step, onSeen }: Situation): Call {
  const { name, first, size, hasIds } = action
  if (name === null) {
    const numbers = mobiles(size, NAMELESS + (step * MOST_ACTIONS + index) * MOST_IN_BATCH)
    return {
      kind: 'nameless',
      wire: new WireCall(listening, recordRequest(numbers, undefined, []), { onSeen }),
      mobiles: numbers,
    }
  }
  const rrid = NAMES[name] ?? ''
  const numbers = mobiles(size, first)
  const ids = hasIds ? numbers.map((_, position) => `id-${step % ID_CYCLE}-${index}-${position}`) : []
  const wire = new WireCall(listening, recordRequest(numbers, rrid, ids), { onSeen })
  return { kind: 'write', wire, write: { kind: 'record', rrid, mobiles: numbers, ids } }
}

/** Names of the messages that an action may record. */
export function recordedBy(action: Action): readonly string[] {
  if (action.kind !== 'record' || action.name === null) return []
  return mobiles(action.size, action.first).map((mobile) => `${NAMES[action.name ?? 0]}/${mobile}`)
}

function saidOf({ code, isSuccess, at }: Saying, name: Name): Said {
  return { name, code, isSuccess, at: BEGINNING + at * 1000 }
}

/** One more than there are is a message that nobody knows. */
function placeOf({ message }: Saying, { keys }: Situation): Name & { rrid: string } {
  const [rrid = '', mobile = ''] = (keys[message % (keys.length + 1)] ?? 'nobody/13800138000').split('/')
  return { rrid, mobile }
}

/** An id that there may be: of this step or one before, of one of its first calls, of one of its first messages. */
function idOf(message: number, { step }: Situation): string {
  return `id-${(step + message) % ID_CYCLE}-${Math.floor(message / 3) % 4}-${Math.floor(message / 12) % 3}`
}
