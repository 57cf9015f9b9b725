import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { DholeError } from '../../../error.ts'
import {
  type BoundSpec,
  isUnbounded,
  makeQuery,
  type Query,
  type QuerySpec,
  type Scalar,
} from '../../../query/query.ts'

const scalar = Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()])

/** Members of a query as clients send it. @see docs/reference/sdk-protocol.md#queries */
const wireQuery = Type.Object({
  i: Type.Optional(Type.String()),
  sp: Type.Optional(scalar),
  sn: Type.Optional(Type.String()),
  sin: Type.Optional(Type.Boolean()),
  ep: Type.Optional(scalar),
  en: Type.Optional(Type.String()),
  ein: Type.Optional(Type.Boolean()),
  l: Type.Optional(Type.Integer({ minimum: 1 })),
  vf: Type.Optional(Type.Union([Type.Literal('l'), Type.Literal('r')])),
})
type WireQuery = Static<typeof wireQuery>

const ORDERS: ReadonlyMap<string, string> = new Map([
  ['.key', '$key'],
  ['.value', '$value'],
  ['.priority', '$priority'],
])
/** Longest text of a query, in UTF-16 code units. Those of REST are no longer: they stand in URLs. */
const LONGEST = 16_384

/**
 * The query of a listen or a read; `undefined` if it chooses every child.
 * @throws `bad-parameter`, and as `makeQuery`
 */
export function queryOf(given: unknown): Query | undefined {
  if (given === undefined) return undefined
  if (!Value.Check(wireQuery, given)) throw new DholeError('bad-parameter', 'The query is malformed')
  const query = makeQuery(specOf(given), 'firebase')
  return isUnbounded(query) ? undefined : query
}

/**
 * The members that are known, of a query that `queryOf` takes: a client knows its listen by them.
 * @throws `write-too-big`
 */
export function sentQueryOf(given: unknown): unknown {
  if (given === undefined) return undefined
  const members = Object.entries(given as WireQuery).filter(([name]) => Object.hasOwn(wireQuery.properties, name))
  const length = members.reduce((sum, [, value]) => sum + (typeof value === 'string' ? value.length : 0), 0)
  if (length > LONGEST) throw new DholeError('write-too-big', 'The query is too long')
  return Object.fromEntries(members)
}

function specOf({ i = '.priority', sp, sn, sin, ep, en, ein, l, vf }: WireQuery): QuerySpec {
  const start = boundOf(sp, sn)
  const end = boundOf(ep, en)
  return {
    orderBy: ORDERS.get(i) ?? i,
    ...(sin === false ? { startAfter: start } : { startAt: start }),
    ...(ein === false ? { endBefore: end } : { endAt: end }),
    ...(vf === 'r' ? { limitToLast: l } : { limitToFirst: l }),
  }
}

function boundOf(value: Scalar | undefined, key: string | undefined): BoundSpec | undefined {
  if (value === undefined || key === undefined) return value
  return [value, key]
}
