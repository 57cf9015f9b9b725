import type { JsonText } from '../../tree/json/print.ts'
import type { Exchange } from '../exchange.ts'
import { PacedBody } from './paced-body.ts'

const BYTES_PER_UNIT = 2

/** An export whose first piece has been read. */
export interface BegunExport {
  readonly first: JsonText
  readonly rest: AsyncGenerator<JsonText, void>
  /** Called once, however it ends. */
  readonly release: () => void
  /** Hears why it cannot be read to its end. */
  readonly failed: (thrown: unknown) => void
}

/**
 * The body of an answer of any size: the next piece is read when the connection has taken the one before. It is cut off
 * as any long answer is, and when it cannot be read to its end.
 * @see docs/reference/protocol.md#whole-exports
 */
export function exportAnswer({ first, rest, release, failed }: BegunExport, exchange: Exchange): ReadableStream {
  let begin: JsonText | undefined = first
  const next = async (): Promise<JsonText | undefined> => {
    const piece = begin ?? (await rest.next()).value ?? undefined
    begin = undefined
    body.resize((piece?.length ?? 0) * BYTES_PER_UNIT)
    return piece
  }
  const end = (): void => {
    begin = undefined
    release()
    // Whatever it still finds wrong, nobody wants to know any more.
    rest.return().catch(() => {})
  }
  const body = new PacedBody({ next, end, failed }, exchange, { bytes: first.length * BYTES_PER_UNIT })
  return body.body
}
