import { DholeError } from '../../error.ts'
import type { RawParameters } from '../url/parameters.ts'

/** What a whole export goes with: it has one form and is asked for by an administrator. */
const COMPANIONS: ReadonlySet<string> = new Set([
  ...['readSizeLimit', 'format', 'download', 'app', 'ns', 'auth', 'access_token', 'auth_variable_override'],
  'x-http-method-override',
])

/** What the headers of a request ask for. */
interface Asked {
  readonly isStream: boolean
  /** Whether a tag is wanted, or one is shown. */
  readonly isTagged: boolean
}

/**
 * Throws unless a GET of a node of any size asks for nothing else.
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

/** For HEAD. Of a length that is not told: the listener makes its headers of it and sends nothing. */
export function emptyBody(): ReadableStream {
  const pull = async (writer: ReadableStreamDirectController) => {
    writer.end()
  }
  return new ReadableStream({ type: 'direct', pull })
}
