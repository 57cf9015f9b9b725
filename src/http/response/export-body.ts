import type { JsonText } from '../../tree/json/print.ts'
import type { Exchange } from '../exchange.ts'
import { PacedBody, type Piece } from './paced-body.ts'

const BYTES_PER_UNIT = 2

/** An export whose first chunk has been read. */
export interface BegunExport {
  readonly first: JsonText
  readonly rest: AsyncGenerator<JsonText, void>
  /** Called once, however it ends. */
  readonly release: () => void
  /** Called with the error when the export cannot be read to its end. */
  readonly failed: (thrown: unknown) => void
}

/**
 * Body of an export of any size: the next chunk is read when the connection has accepted the previous one. The
 * connection is aborted as for any long body, and when the export cannot be read to its end.
 * @see docs/reference/protocol.md#whole-exports
 */
export function exportAnswer({ first, rest, release, failed }: BegunExport, exchange: Exchange): ReadableStream {
  let begin: JsonText | undefined = first
  const next = async (): Promise<Piece | undefined> => {
    const piece = begin ?? (await rest.next()).value ?? undefined
    begin = undefined
    body.resize((piece?.length ?? 0) * BYTES_PER_UNIT)
    return piece === undefined ? undefined : { texts: [piece] }
  }
  const end = (): void => {
    begin = undefined
    release()
    // Errors after the end are ignored.
    rest.return().catch(() => {})
  }
  const body = new PacedBody({ next, end, failed }, exchange, { bytes: first.length * BYTES_PER_UNIT })
  return body.body
}
