import { DholeError } from '../../../error.ts'
import type { MessageStatus } from '../../../observer.ts'
import type { AnyText } from '../../../tree/json/text-pieces.ts'
import { formatPath, type Path } from '../../../tree/path.ts'

/** What SDKs of one kind expect, and others do not. */
export interface Dialect {
  /** Version of the protocol in the hello. */
  readonly version: string
  /** Code of what a request has failed with; without it answers have none. */
  readonly codeOf?: (error: unknown) => number
  /** Whether the connection ends with its credential: the client would stay, and not listen anew. */
  readonly endsWithCredential?: boolean
}

export const FIREBASE: Dialect = { version: '5' }

/** Answer to a request. */
export interface Answer {
  readonly status: MessageStatus
  /** Code of an error, for clients that expect one. */
  readonly code?: number
  /** JSON text. */
  readonly data: AnyText
  /** Must be called when the answer was sent. */
  readonly onSent?: (() => void) | undefined
}

export const OK: Answer = { status: 'ok', data: '""' }
/** Clients expect an object in answers to listens and credentials. */
export const OK_OBJECT: Answer = { status: 'ok', data: '{}' }

const STATUSES: Partial<Record<DholeError['code'], MessageStatus>> = {
  'permission-denied': 'permission_denied',
  'read-too-big': 'too_big',
  'write-too-big': 'too_big',
  'leaf-too-big': 'too_big',
  unavailable: 'unavailable',
  'too-busy': 'unavailable',
  quota: 'unavailable',
  'bad-path': 'invalid_path',
  'empty-key': 'invalid_path',
  'key-too-long': 'invalid_path',
  'too-deep': 'invalid_path',
  'bad-token': 'invalid_token',
  'token-payload': 'invalid_token',
  'token-refused': 'invalid_token',
  'token-expired': 'expired_token',
  'too-many-failures': 'unavailable',
  internal: 'error',
}

/** The answer to a request that failed. */
export function failure(error: unknown, { codeOf }: Dialect): Answer {
  const code = codeOf && { code: codeOf(error) }
  if (!(error instanceof DholeError)) return { status: 'error', ...code, data: '"Server error"' }
  return { status: STATUSES[error.code] ?? 'invalid_data', ...code, data: JSON.stringify(error.message) }
}

export function control(type: string, data: unknown): string {
  return JSON.stringify({ t: 'c', d: { t: type, d: data } })
}

export function answerHead(request: number, { status, code }: Answer): string {
  return `{"t":"d","d":{"r":${request},"b":{"s":"${status}",${code === undefined ? '' : `"c":${code},`}"d":`
}

export const ANSWER_TAIL = '}}}'

/** A control message that clients send, as they send it. @returns its type */
export function controlIn(text: string): string | undefined {
  return /^\{"t":"c","d":\{"t":"(\w)","d":\{\}\}\}$/.exec(text)?.[1]
}

/** A message without its data and what follows. @param action `d` replaces what is at the path, `m` merges */
export function pushHead(action: 'd' | 'm', path: string): string {
  return `{"t":"d","d":{"a":"${action}","b":{"p":${JSON.stringify(path)},"d":`
}

export function pushTail(tag: number | undefined): string {
  return tag === undefined ? '}}}' : `,"t":${tag}}}}`
}

/** What a query shows, as text. Of a leaf, and where it chooses no child, that is nothing. */
export function listText(text: string): string {
  return text === '{}' || !text.startsWith('{') || text.startsWith('{".') ? 'null' : text
}

/** Reports that a listen may not be read any more. @param query as the client has sent it */
export function revocation(path: Path, query: unknown): string {
  const body = query === undefined ? { p: formatPath(path) } : { p: formatPath(path), q: [query] }
  return JSON.stringify({ t: 'd', d: { a: 'c', b: body } })
}

/** Reports that the credential is no longer valid. */
export const CREDENTIAL_ENDED = JSON.stringify({
  t: 'd',
  d: { a: 'ac', b: { s: 'expired_token', d: 'Auth token is expired' } },
})
