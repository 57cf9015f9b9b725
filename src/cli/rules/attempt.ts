import { type Static, type TObject, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import type { QuerySpec } from '../../query/query.ts'
import { shown } from '../terminal/shown.ts'

const OPERATIONS = ['read', 'put', 'patch', 'post', 'delete'] as const
const scalar = Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()])
const bound = Type.Optional(Type.Union([scalar, Type.Tuple([scalar, Type.String()])]))
const limit = Type.Optional(Type.Integer())

/** A request in a table of cases. The descriptions are part of the error texts. */
export const attemptSchema = Type.Object(
  {
    auth: Type.Union([Type.Null(), Type.Record(Type.String(), Type.Unknown())], {
      description: 'null or an object such as {"uid": "ann"}',
    }),
    path: Type.String({ description: 'a path such as "/users/ann"' }),
    operation: Type.Union(
      OPERATIONS.map((operation) => Type.Literal(operation)),
      { description: `one of ${OPERATIONS.join(', ')}` },
    ),
    data: Type.Optional(Type.Unknown()),
    query: Type.Optional(
      Type.Unsafe<QuerySpec>(
        Type.Object(
          {
            orderBy: Type.String(),
            ...{ startAt: bound, startAfter: bound, endAt: bound, endBefore: bound, equalTo: bound },
            ...{ limitToFirst: limit, limitToLast: limit },
          },
          { additionalProperties: false, description: 'an object such as {"orderBy": "$key", "limitToFirst": 10}' },
        ),
      ),
    ),
    now: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
        description: 'a time in whole milliseconds since 1970',
      }),
    ),
  },
  { additionalProperties: false, description: 'an object' },
)

export type Attempt = Static<typeof attemptSchema>

/** Operations with a body. */
const WITH_DATA: readonly string[] = ['put', 'patch', 'post']

/**
 * Checks the members of the schema and those of the operation.
 * @throws Error `<member>: expected <what>`
 */
export function checkAttempt<T extends TObject>(schema: T, json: unknown): asserts json is Attempt & Static<T> {
  const error = Value.Errors(schema, json).First()
  if (error !== undefined) throw new Error(wrongMember(schema, error.path))
  const { operation, ...members } = json as Attempt
  const hasData = Object.hasOwn(members, 'data')
  if (WITH_DATA.includes(operation) && !hasData) throw new Error(`data: expected JSON, as this is a ${operation}`)
  if (!WITH_DATA.includes(operation) && hasData) throw new Error(`data: nothing is sent with a ${operation}`)
  if (operation !== 'read' && Object.hasOwn(members, 'query')) throw new Error(`query: only a read has one`)
}

/** @param pointer JSON pointer to the fault */
function wrongMember(schema: TObject, pointer: string): string {
  const name = pointer.split('/')[1]?.replaceAll('~1', '/').replaceAll('~0', '~')
  if (name === undefined) return `expected ${schema.description}`
  if (!Object.hasOwn(schema.properties, name)) return `${JSON.stringify(name)} is no known member`
  return `${name}: expected ${schema.properties[name]?.description ?? 'JSON'}`
}

/** `put /users/ann as bob`. */
export function attemptText({ operation, path, auth }: Attempt): string {
  return `${operation} ${path} as ${authText(auth)}`
}

function authText(auth: Attempt['auth']): string {
  if (auth === null) return 'nobody'
  const uid = Object.hasOwn(auth, 'uid') ? auth['uid'] : undefined
  return typeof uid === 'string' ? uid : shown(auth)
}
