import type { Caller } from '../../auth/caller.ts'
import { DholeError } from '../../error.ts'
import { formatPath } from '../../tree/path.ts'
import type { WriteOperation } from './write-operation.ts'
import type { WriteOptions } from './write-request.ts'

/** Identity of a write that may be sent again. Both are digests: neither data nor keys of callers are stored. */
export interface IdempotentRequest {
  /** Of the caller and the key. */
  readonly key: string
  /** Of the request: equal for equal ones. */
  readonly fingerprint: string
}

const KEY = /^[ -~]{1,255}$/

/** @throws `bad-parameter` unless it can name a request */
export function checkIdempotencyKey(key: string): void {
  if (KEY.test(key)) return
  throw new DholeError('bad-parameter', 'Idempotency-Key must have 1 to 255 printable ASCII characters')
}

/**
 * Identity of a write; `undefined` for one without a key.
 * @throws `bad-parameter`
 * @see docs/reference/protocol.md#idempotent-writes
 */
export function idempotentRequest(
  { method, path, json }: Pick<WriteOperation<unknown>, 'method' | 'path' | 'json'>,
  options: WriteOptions,
): IdempotentRequest | undefined {
  const key = recordKey(options)
  if (key === undefined) return undefined
  const { ifMatch, digest } = options
  return {
    key,
    fingerprint: digestOf([method, formatPath(path), ifMatch ?? null, digest ?? JSON.stringify(json)]),
  }
}

/**
 * Key of the idempotency record of a write; `undefined` for one without a key.
 * @throws `bad-parameter`
 */
export function recordKey({ as, idempotencyKey }: Pick<WriteOptions, 'as' | 'idempotencyKey'>): string | undefined {
  if (idempotencyKey === undefined) return undefined
  checkIdempotencyKey(idempotencyKey)
  return digestOf([identityOf(as), idempotencyKey])
}

/** Identifies a caller: a user by the `uid` that rules see, whatever else the token says. */
function identityOf(caller: Caller | undefined): unknown {
  if (caller === undefined) return 'host'
  if (caller.kind !== 'user') return caller.kind
  const uid = caller.auth?.['uid']
  return typeof uid === 'string' ? { uid } : { auth: caller.auth }
}

function digestOf(parts: readonly unknown[]): string {
  return new Bun.CryptoHasher('sha256').update(JSON.stringify(parts)).digest('base64url')
}
