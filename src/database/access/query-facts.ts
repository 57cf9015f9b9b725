import type { Query } from '../../query/query.ts'
import { NO_QUERY, type QueryFacts } from '../../rules/expression/request-context.ts'
import { PRIORITY } from '../../tree/key.ts'

/** `query` of the rules. A read without a query is one by key. @see docs/reference/protocol.md#rules */
export function queryFacts(query: Query | undefined): QueryFacts {
  if (query === undefined) return NO_QUERY
  const { orderBy, start, end, limit } = query
  const path = orderBy.kind === 'child' ? orderBy.path : undefined
  const byPriority = path?.[0] === PRIORITY
  const isEqual = start !== undefined && start === end
  return {
    orderByKey: path === undefined,
    orderByValue: path?.length === 0,
    orderByPriority: byPriority,
    orderByChild: path === undefined || path.length === 0 || byPriority ? null : path.join('/'),
    startAt: isEqual ? null : (start?.value ?? null),
    endAt: isEqual ? null : (end?.value ?? null),
    equalTo: isEqual ? start.value : null,
    limitToFirst: limit?.from === 'first' ? limit.count : null,
    limitToLast: limit?.from === 'last' ? limit.count : null,
  }
}
