import type { StreamEvent } from './event.ts'

const encoder = new TextEncoder()

/**
 * The bytes of one message of an event stream. Nothing stands between the two lines: many clients read them in pairs.
 * @see docs/reference/protocol.md#bytes
 */
export function frameText({ kind, path, data }: StreamEvent): string {
  return `event: ${kind}\ndata: {"path":${JSON.stringify(path)},"data":${data}}\n\n`
}

/** The same with the id that a client may show to go on from here. */
export function frameTextWithId(event: StreamEvent, id: string): string {
  return `${frameText(event).slice(0, -1)}id: ${id}\n\n`
}

/** What keeps an idle connection from being taken for a dead one. */
export const KEEP_ALIVE = encoder.encode('event: keep-alive\ndata: null\n\n')

/** The last message of a stream that may not go on. @param reason not JSON: clients compare it as it is */
export function endFrame(kind: 'cancel' | 'auth_revoked', reason: string): Uint8Array {
  return encoder.encode(`event: ${kind}\ndata: ${reason}\n\n`)
}

export function encode(text: string): Uint8Array {
  return encoder.encode(text)
}
