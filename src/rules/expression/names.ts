import type { EvaluationContext, Plain } from './evaluation-context.ts'
import { nullary, pathKey } from './expression.ts'
import type { PatternCache } from './pattern.ts'
import { NO_QUERY, type QueryFacts } from './request-context.ts'
import { fail, refuse, unknown } from './rule-errors.ts'
import type { SourceLimits } from './source-limits.ts'
import { lengthOf } from './string-methods.ts'
import {
  ANYTHING,
  BOOLEAN,
  NULL,
  NULL_OR_OBJECT,
  NUMBER,
  STRING,
  type Typed,
  type TypedValue,
  typed,
  typedMember,
} from './types.ts'

/** Context of an expression, which decides the names it may use. */
export interface Scope {
  readonly kind: RuleKind
  /** The `$name` keys above, and the index of each in the path. */
  readonly wildcards: ReadonlyMap<string, number>
  readonly bounds: SourceLimits
  readonly patterns: PatternCache
}

export type RuleKind = '.read' | '.write' | '.validate'

/** @throws ExpressionError for an unknown name */
export function compileName(at: number, name: string, scope: Scope): Typed {
  switch (name) {
    case 'auth':
      return typedMember(at, nullary(at, authOf), NULL_OR_OBJECT, 'auth')
    case 'now':
      return typed(at, nullary(at, timeOf), NUMBER)
    case 'root':
    case 'data':
      return { kind: 'snapshot', at, place: { from: name, steps: [] } }
    case 'newData':
      if (scope.kind === '.read') refuse(at, 'newData is not known in .read')
      return { kind: 'snapshot', at, place: { from: 'new-data', steps: [] } }
    case 'query':
      if (scope.kind !== '.read') refuse(at, 'query is only known in .read')
      return { kind: 'query', at }
    default:
      return wildcard(at, name, scope)
  }
}

function wildcard(at: number, name: string, { wildcards }: Scope): Typed {
  const depth = wildcards.get(name)
  if (depth === undefined) return refuse(at, `unknown name "${name}"`)
  // The path of a request is at least as deep as its rules, unless they are evaluated before its body is read.
  const keyOf = (context: EvaluationContext): Plain => context.path[depth] ?? unknown()
  return typed(at, pathKey(at, keyOf), STRING)
}

function authOf({ request }: EvaluationContext): Plain {
  return request.auth
}

function timeOf(context: EvaluationContext): Plain {
  context.usesTime = true
  return context.request.now
}

/** A member of `auth`; null for a missing member and for any member of null. */
export function authMember(context: EvaluationContext, object: Plain, name: Plain): Plain {
  if (typeof name !== 'string') return fail('a member is named by a string')
  if (object === null) return null
  if (typeof object !== 'object') return name === 'length' ? lengthOf(context, object) : null
  return plainOf(Object.hasOwn(object, name) ? (object as Readonly<Record<string, unknown>>)[name] : null)
}

function plainOf(value: unknown): Plain {
  switch (typeof value) {
    case 'string':
    case 'number':
    case 'boolean':
    case 'object':
      return value
    default:
      return null
  }
}

const QUERY_MEMBERS: ReadonlyMap<string, number> = new Map<keyof QueryFacts, number>([
  ['orderByKey', BOOLEAN],
  ['orderByValue', BOOLEAN],
  ['orderByPriority', BOOLEAN],
  ['orderByChild', NULL | STRING],
  ['startAt', ANYTHING],
  ['endAt', ANYTHING],
  ['equalTo', ANYTHING],
  ['limitToFirst', NULL | NUMBER],
  ['limitToLast', NULL | NUMBER],
])

/** @throws ExpressionError for an unknown member of `query` */
export function queryMember(at: number, name: string): TypedValue {
  const types = QUERY_MEMBERS.get(name)
  if (types === undefined) return refuse(at, `a query has no "${name}"`)
  const factOf = ({ request }: EvaluationContext): Plain => (request.query ?? NO_QUERY)[name as keyof QueryFacts]
  return typedMember(at, nullary(at, factOf), types, 'query')
}
