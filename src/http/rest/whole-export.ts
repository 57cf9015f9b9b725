import { DholeError } from '../../error.ts'
import type { RawParameters } from '../url/parameters.ts'

/** Parameters that may accompany a whole export. */
const COMPANIONS: ReadonlySet<string> = new Set([
  ...['readSizeLimit', 'format', 'download', 'app', 'ns', 'auth', 'access_token', 'auth_variable_override'],
  'x-http-method-override',
])

/** Headers of a request that a whole export does not support. */
interface Asked {
  readonly isStream: boolean
  /** Whether an ETag is asked for or sent. */
  readonly isTagged: boolean
}

/**
 * Checks that a GET of a node of any size asks for nothing else.
 * @throws `bad-parameter`
 * @see docs/reference/protocol.md#whole-exports
 */
export function checkWholeExport(values: RawParameters['values'], { isStream, isTagged }: Asked): void {
  if (values['format'] !== 'export') throw new DholeError('bad-parameter', 'readSizeLimit needs format=export')
  const other = Object.keys(values).find((name) => !COMPANIONS.has(name))
  if (other !== undefined) throw new DholeError('bad-parameter', `${other} is not supported with readSizeLimit`)
  if (isStream) throw new DholeError('bad-parameter', 'readSizeLimit is not supported for streams')
  if (isTagged) throw new DholeError('bad-parameter', 'ETags are not supported with readSizeLimit')
}

/** Body of unknown length for HEAD: the listener derives headers from it and sends nothing. */
export function emptyBody(): ReadableStream {
  const pull = async (writer: ReadableStreamDirectController) => {
    writer.end()
  }
  return new ReadableStream({ type: 'direct', pull })
}
