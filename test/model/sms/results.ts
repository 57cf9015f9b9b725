import { expect } from 'bun:test'
import type { Status } from '../../protocol/sms/calls.ts'
import type { Heard } from './audience.ts'
import type { Call } from './calls.ts'
import type { Attempt, Sight } from './explain.ts'
import type { End } from './plan.ts'
import type { Received } from './wire-call.ts'

/** Names that the server makes. */
export const MADE_RRID = /^[0-9a-f]{18}$/

/** What came of calls that were under way at once. */
export class Results {
  readonly attempts: Attempt[] = []
  readonly sights: Sight[] = []
  readonly heard: Heard[] = []
  /** Numbers of batches that nobody has a name of: they may have been recorded or not. */
  readonly nameless: (readonly string[])[] = []
  /** Whether a call that writes has succeeded. */
  hasWritten = false

  /** Waits for calls. @param end of the process, if it ended among them */
  static async of(calls: Iterable<Call>, end: End | null): Promise<Results> {
    const results = new Results()
    for (const call of calls) results.#add(call, await call.wire.ended, end)
    return results
  }

  #add(call: Call, received: Received, end: End | null): void {
    if (call.kind === 'news') {
      this.heard.push([call, received])
      return
    }
    const answer = answerOf(received, end)
    if (call.kind === 'batch') {
      if (answer !== undefined) this.sights.push({ rrid: call.rrid, records: JSON.parse(answer) as Status[] })
      return
    }
    this.hasWritten ||= answer?.startsWith('{') === true
    if (call.kind === 'write') this.attempts.push({ write: call.write, answer })
    else if (answer === undefined) this.nameless.push(call.mobiles)
    else this.attempts.push(namedAttempt(call.mobiles, answer))
  }
}

/**
 * Text of what a call has answered: data, or the number of an error. `undefined` when no answer came; where the process
 * ends, that it is out of service is none either.
 */
function answerOf({ status, text, isWhole }: Received, end: End | null): string | undefined {
  if (end !== null && (!isWhole || status === 503)) return undefined
  expect({ isWhole, status, text }).toEqual({ isWhole: true, status: status === 200 ? 200 : 400, text })
  const { data, errcode } = JSON.parse(text) as { data?: unknown; errcode?: number }
  return status === 200 ? JSON.stringify(data) : String(errcode)
}

function namedAttempt(mobiles: readonly string[], answer: string): Attempt {
  const { rrid = '' } = JSON.parse(answer) as { rrid?: string }
  expect(rrid).toMatch(MADE_RRID)
  return { write: { kind: 'record', rrid, mobiles, ids: [] }, answer }
}
