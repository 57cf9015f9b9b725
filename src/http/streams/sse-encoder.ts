import type { EventEncoder, NumberedEvent } from '../../hub/event-batch.ts'
import { joined, piecesOf } from '../../tree/json/text-pieces.ts'

const encoder = new TextEncoder()

/** Keeps clients and proxies from closing an idle connection. */
export const KEEP_ALIVE = encoder.encode('event: keep-alive\ndata: null\n\n')

export function encode(text: string): Uint8Array {
  return encoder.encode(text)
}

/** Encodes events as server-sent events. */
export interface SseEncoder extends EventEncoder<Uint8Array> {
  /** The same text in pieces. */
  pieces(events: readonly NumberedEvent[]): Iterable<string>
}

/**
 * Encodes events as server-sent events. Streams share the bytes of a batch if they share the encoder.
 * @param idOf makes the id of an event from the number of its commit; without, events have no ids
 * @see docs/reference/protocol.md#bytes
 */
export function sseEncoder(idOf?: (seq: number) => string): SseEncoder {
  return {
    encode: (events) => {
      let text = ''
      for (const event of events) text += `${head(event)}${joined(event.data)}${tail(event, idOf)}`
      return encoder.encode(text)
    },
    *pieces(events) {
      for (const event of events) {
        yield head(event)
        yield* piecesOf(event.data)
        yield tail(event, idOf)
      }
    },
  }
}

/** The last message of a stream that the server ends. @param reason as it is, not JSON: clients compare it */
export function endFrame(kind: 'cancel' | 'auth_revoked', reason: string): Uint8Array {
  return encoder.encode(`event: ${kind}\ndata: ${reason}\n\n`)
}

/** Nothing stands between the lines of an event and of its data: many clients read them in pairs. */
function head({ kind, path }: NumberedEvent): string {
  return `event: ${kind}\ndata: {"path":${JSON.stringify(path)},"data":`
}

function tail({ seq }: NumberedEvent, idOf: ((seq: number) => string) | undefined): string {
  return idOf === undefined ? '}\n\n' : `}\nid: ${idOf(seq)}\n\n`
}
