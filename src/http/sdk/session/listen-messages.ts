import type { EventEncoder, NumberedEvent } from '../../../hub/event-batch.ts'
import { joined } from '../../../tree/json/text-pieces.ts'
import { formatPath, type Path } from '../../../tree/path.ts'
import { listText, pushHead, pushTail } from './messages.ts'

/** What a client listens to. */
export interface Listened {
  readonly path: Path
  /** Number that the client knows the listen by; `undefined` for everything at the path. */
  readonly tag: number | undefined
  /** Whether a query chooses some of the children. */
  readonly isFiltered: boolean
  /** The query as the client has sent it. */
  readonly sentQuery: unknown
  /** Hash of what the client has; empty when it has nothing. */
  readonly hash: string
}

/** A message of a batch, made once for all connections that listen to the same. */
interface SharedMessage {
  /** Without its end, where the tag of a listen stands. */
  readonly head: string
  /** For listens without a tag. */
  readonly untagged: string
}

/** Makes the messages of a batch, which is of the topic of a listen. */
export const messageEncoder: EventEncoder<readonly SharedMessage[], Listened> = {
  encode: (events, listened) =>
    events
      .filter(({ kind }) => kind !== 'mark')
      .map((event) => {
        const head = headOf(event, listened)
        return { head, untagged: head + pushTail(undefined) }
      }),
}

/** JSON text of the data of an event. */
export function dataOf({ path, data }: NumberedEvent, { isFiltered }: Listened): string {
  const text = joined(data)
  return isFiltered && path === '/' ? listText(text) : text
}

function headOf(event: NumberedEvent, listened: Listened): string {
  const list = formatPath(listened.path)
  const path = event.path === '/' ? list : list === '/' ? event.path : list + event.path
  return pushHead(event.kind === 'put' ? 'd' : 'm', path) + dataOf(event, listened)
}
