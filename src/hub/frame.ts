import { joined, piecesOf } from '../tree/json/text-pieces.ts'
import type { StreamEvent } from './event.ts'

const encoder = new TextEncoder()

/**
 * One message of an event stream. Nothing stands between the two lines: many clients read them in pairs.
 * @param id a client may show it to go on from here
 * @see docs/reference/protocol.md#bytes
 */
export function frameText(event: StreamEvent, id: string | undefined): string {
  return `${frameStart(event)}${joined(event.data)}${frameEnd(id)}`
}

/** As `frameText`, piece by piece. */
export function* framePieces(event: StreamEvent, id: string | undefined): Generator<string, void> {
  yield frameStart(event)
  yield* piecesOf(event.data)
  yield frameEnd(id)
}

function frameStart({ kind, path }: StreamEvent): string {
  return `event: ${kind}\ndata: {"path":${JSON.stringify(path)},"data":`
}

function frameEnd(id: string | undefined): string {
  return id === undefined ? '}\n\n' : `}\nid: ${id}\n\n`
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
