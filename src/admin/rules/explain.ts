import { type Static, Type } from '@sinclair/typebox'
import type { Database } from '../../database/database.ts'
import type { Attempt } from '../../database/writes/attempt.ts'
import { DholeError } from '../../error.ts'
import type { QuerySpec } from '../../query/query.ts'

const scalar = Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()])
const bound = Type.Optional(Type.Union([scalar, Type.Tuple([scalar, Type.String()])]))
const limit = Type.Optional(Type.Integer())

/** A request that is not made. */
export const attempt = Type.Object({
  id: Type.String(),
  /** Default: the rules in force. */
  source: Type.Optional(Type.String()),
  operation: Type.Union([
    ...[Type.Literal('read'), Type.Literal('put'), Type.Literal('patch'), Type.Literal('post')],
    Type.Literal('delete'),
  ]),
  /** Such as `/users/ann`. */
  path: Type.String(),
  /** What rules see as `auth`. Default `null`: no user. */
  auth: Type.Optional(Type.Union([Type.Null(), Type.Record(Type.String(), Type.Unknown())])),
  /** Payload of a put, patch or post. */
  data: Type.Optional(Type.Unknown()),
  /** Query of a read. */
  parameters: Type.Optional(
    Type.Unsafe<QuerySpec>(
      Type.Object(
        {
          orderBy: Type.String(),
          ...{ startAt: bound, startAfter: bound, endAt: bound, endBefore: bound, equalTo: bound },
          ...{ limitToFirst: limit, limitToLast: limit },
        },
        { additionalProperties: false },
      ),
    ),
  ),
})

/** The decision of rules, with one line per evaluated rule. */
export const ruling = Type.Object({ allowed: Type.Boolean(), trace: Type.Array(Type.String()) })

/** Operations with a body. */
const WITH_DATA: readonly string[] = ['put', 'patch', 'post']

/**
 * What rules decide about a request. Nothing is written.
 * @throws `admin-input` for a request that is invalid for any rules, and for a wrong source
 */
export async function explained(
  database: Database,
  { source, operation, path, auth = null, data, parameters }: Static<typeof attempt>,
): Promise<Static<typeof ruling>> {
  const hasData = data !== undefined
  if (WITH_DATA.includes(operation) && !hasData) throw new DholeError('admin-input', `data: a ${operation} has some`)
  if (!WITH_DATA.includes(operation) && hasData) throw new DholeError('admin-input', `data: a ${operation} has none`)
  if (operation !== 'read' && parameters !== undefined) {
    throw new DholeError('admin-input', 'parameters: only a read has some')
  }
  const tried: Attempt = { operation, path, auth, data, ...(parameters === undefined ? {} : { query: parameters }) }
  try {
    const { allowed, trace } = await database.administration.explain(tried, source)
    return { allowed, trace: [...trace] }
  } catch (cause) {
    if (!(cause instanceof DholeError) || cause.code === 'unavailable') throw cause
    throw new DholeError('admin-input', cause.message, { cause })
  }
}
