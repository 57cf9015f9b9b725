import { hasCredential } from '../../auth/caller.ts'
import type { Database } from '../../database/database.ts'
import type { RequestOptions, WriteOptions, WriteOutcome } from '../../database/writes/write-request.ts'
import { writeSeconds } from '../../database/writes/write-size.ts'
import { DholeError, type ErrorCode } from '../../error.ts'
import type { Awaitable } from '../../scheduling/awaitable.ts'
import type { Path } from '../../tree/path.ts'
import type { Exchange } from '../exchange.ts'
import { hasShortBody, useJson } from '../request/body.ts'
import { authenticate } from '../request/caller.ts'
import type { Method } from '../request/headers.ts'
import { appendReply, writeReply } from '../response/node-reply.ts'

/** A method that has a body. */
type BodyMethod = 'PUT' | 'PATCH' | 'POST'

type UseBody = (database: Database, json: unknown, options: RequestOptions) => Promise<Response>

/** Error codes that have nothing to do with what was sent. */
const GENERAL: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  ...(['unavailable', 'too-busy', 'too-many-failures', 'internal'] as const),
  ...(['bad-token', 'token-expired', 'token-payload', 'token-refused'] as const),
])

/**
 * Writes the node, and answers once the write is durable. Every promise that a write passes costs each of its clients, so
 * there are few.
 */
export function writeNode(exchange: Exchange, method: Exclude<Method, 'GET'>): Promise<Response> {
  const { path } = exchange.target
  const reply = (outcome: WriteOutcome) => writeReply(exchange, outcome)
  switch (method) {
    case 'PUT':
      return useBody(exchange, method, (database, json, options) => database.put(path, json, options).then(reply))
    case 'PATCH':
      return useBody(exchange, method, (database, json, options) => patch(database, path, json, options).then(reply))
    case 'POST':
      return useBody(exchange, method, (database, json, options) =>
        database.post(path, json, options).then((appended) => appendReply(exchange, appended)),
      )
    case 'DELETE':
      exchange.awaitSilently()
      return exchange.application.database.delete(path, writeOptions(exchange)).then(reply)
    default:
      return method satisfies never
  }
}

/**
 * Judges a long body before it is read. A short one is read in no time, so nothing is judged twice for it: only when it
 * came to no decision of the rules, it is judged what its outcome may reveal.
 */
function useBody(exchange: Exchange, method: BodyMethod, use: UseBody): Promise<Response> {
  const { application, target, as, onTrace, idempotencyKey, limits, request } = exchange
  const access = { as, onTrace }
  if (application.database.isOpenToWrites(access)) return useNodeJson(exchange, method, use)
  const admit = () => exchange.application.database.admitWrite(method, target.path, access, idempotencyKey)
  if (hasShortBody(request) && !limits.isCrowded) return useGuarded(exchange, method, use, admit)
  const admitted = admit()
  const useAdmitted = (isGuarded: boolean) =>
    isGuarded ? useGuarded(exchange, method, use, () => true) : useNodeJson(exchange, method, use)
  return admitted instanceof Promise ? admitted.then(useAdmitted) : useAdmitted(admitted)
}

/**
 * Shows the outcome of a write that the rules decided on. That of another one is shown only where it reveals nothing: a
 * body that is wrong, or changes nothing, is read where the rules may allow a write.
 * @param admit see `Database.admitWrite`
 */
async function useGuarded(
  exchange: Exchange,
  method: BodyMethod,
  use: UseBody,
  admit: () => Awaitable<boolean>,
): Promise<Response> {
  let isPlanned = false
  const onPlanned = () => {
    isPlanned = true
  }
  try {
    const reply = await useNodeJson(exchange, method, (database, json, options) =>
      use(database, json, { ...options, onPlanned }),
    )
    if (isPlanned || !(await admit())) return reply
  } catch (thrown) {
    if (!(thrown instanceof DholeError) || GENERAL.has(thrown.code) || thrown.code === 'permission-denied') throw thrown
    // It may have been closed while the body was awaited.
    await exchange.stay?.resume()
    if (!(await admit()) || isPlanned) throw thrown
  }
  throw new DholeError('permission-denied')
}

function useNodeJson(exchange: Exchange, method: BodyMethod, use: UseBody): Promise<Response> {
  const options = {
    maxBytes: exchange.application.database.limits.maxWriteBytes,
    malformed: method === 'PATCH' ? 'bad-patch' : 'bad-data',
    isTrusted: hasCredential(exchange.as),
    isDigested: exchange.idempotencyKey !== undefined,
  } as const
  return useJson(exchange, options, (json, digest) => {
    exchange.awaitSilently()
    const { application, target } = exchange
    const write = () => use(application.database, json, writeOptions(exchange, digest))
    // The credential may have ended while the body was received.
    const caller = authenticate(exchange, target.parameters)
    return caller instanceof Promise ? caller.then(write) : write()
  })
}

async function patch(database: Database, path: Path, json: unknown, options: RequestOptions): Promise<WriteOutcome> {
  try {
    return await database.patch(path, json, options)
  } catch (thrown) {
    // The tree does not know methods; PATCH has its own text for a bad value.
    const isBadValue = thrown instanceof DholeError && thrown.code === 'bad-data'
    throw isBadValue ? new DholeError('bad-patch', undefined, { cause: thrown }) : thrown
  }
}

function writeOptions(exchange: Exchange, digest?: string | undefined): WriteOptions {
  const { request, target, as, keys, onTrace, idempotencyKey } = exchange
  return {
    as,
    keys,
    onTrace,
    ifMatch: request.headers.get('if-match') ?? undefined,
    maxSeconds: writeSeconds(target.parameters.writeSizeLimit),
    idempotencyKey,
    digest,
  }
}
