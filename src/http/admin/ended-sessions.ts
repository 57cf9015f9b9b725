import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'

/** Sessions that are remembered as ended one by one; more begin a new generation, which ends all others too. */
const MAX_ENDED = 200

const schema = Type.Object({
  generation: Type.String(),
  /** Ids of ended sessions, each with the time until which it would have been valid. */
  ended: Type.Array(Type.Tuple([Type.String(), Type.Integer()])),
})

/** Which sessions of one kind have ended before their time. */
export type EndedSessions = Static<typeof schema>

const NONE: EndedSessions = { generation: '', ended: [] }

/** The last text that was read: every request of a session reads the same one again. */
let last: { readonly text: string; readonly read: EndedSessions } | undefined

/** Reads the stored text. What cannot be read ends all sessions. */
export function endedIn(stored: string | undefined): EndedSessions {
  if (stored === undefined) return NONE
  if (last?.text !== stored) last = { text: stored, read: parsed(stored) }
  return last.read
}

function parsed(stored: string): EndedSessions {
  try {
    const read: unknown = JSON.parse(stored)
    if (Value.Check(schema, read)) return read
  } catch {}
  return { generation: 'unreadable', ended: [] }
}

/** The stored text after one more session has ended. @param until when it would have ended by itself */
export function withEnded(stored: string | undefined, id: string, until: number, now: number): string {
  const { generation, ended } = endedIn(stored)
  const kept = ended.filter(([known, last]) => last > now && known !== id)
  if (kept.length >= MAX_ENDED) return newGeneration()
  return JSON.stringify({ generation, ended: [...kept, [id, until]] })
}

/** The stored text after all sessions have ended. */
export function newGeneration(): string {
  return JSON.stringify({ generation: crypto.randomUUID(), ended: [] } satisfies EndedSessions)
}
