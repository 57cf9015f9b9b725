import type { Caller } from '../../auth/caller.ts'
import { DholeError } from '../../error.ts'
import { formatPath, type Path } from '../../tree/path.ts'
import type { WriteOptions } from './write-job.ts'

/** How a write is meant: equal data written in another way is another request. */
export type WriteMethod = 'PUT' | 'PATCH' | 'POST' | 'DELETE'

/** A write that may come again. Both are digests, so that neither data nor keys of callers are kept. */
export interface Repeatable {
  /** Of the caller and the key. */
  readonly key: string
  /** Of the request: equal for equal ones. */
  readonly fingerprint: string
}

/** A write as it is asked for. */
interface AskedWrite {
  readonly method: WriteMethod
  readonly path: Path
  readonly json: unknown
}

/** Whose write it is, and its key. */
type Naming = Pick<WriteOptions, 'as' | 'idempotencyKey'>

const KEY = /^[ -~]{1,255}$/

/** @throws `bad-parameter` unless it can name a request */
export function checkIdempotencyKey(key: string): void {
  if (KEY.test(key)) return
  throw new DholeError('bad-parameter', 'Idempotency-Key must have 1 to 255 printable ASCII characters')
}

/**
 * What a write is known by when it comes again; `undefined` when it has no key.
 * @throws `bad-parameter`
 * @see docs/reference/protocol.md#idempotent-writes
 */
export function repeatable({ method, path, json }: AskedWrite, options: WriteOptions): Repeatable | undefined {
  const { ifMatch, digest } = options
  const key = noteKey(options)
  if (key === undefined) return undefined
  return {
    key,
    fingerprint: digestOf([method, formatPath(path), ifMatch ?? null, digest ?? JSON.stringify(json)]),
  }
}

/**
 * Under which a write that may come again is noted; `undefined` when it has no key.
 * @throws `bad-parameter`
 */
export function noteKey({ as, idempotencyKey }: Naming): string | undefined {
  if (idempotencyKey === undefined) return undefined
  checkIdempotencyKey(idempotencyKey)
  return digestOf([whoIs(as), idempotencyKey])
}

/** Tells callers apart: a user by the name that rules see, whatever else a token says of them. */
function whoIs(caller: Caller | undefined): unknown {
  if (caller === undefined) return 'host'
  if (caller.kind !== 'user') return caller.kind
  const uid = caller.auth?.['uid']
  return typeof uid === 'string' ? { uid } : { auth: caller.auth }
}

function digestOf(parts: readonly unknown[]): string {
  return new Bun.CryptoHasher('sha256').update(JSON.stringify(parts)).digest('base64url')
}
