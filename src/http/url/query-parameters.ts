import { DholeError } from '../../error.ts'
import { type FilterTexts, parseQuery, parseShallowQuery } from '../../query/parse.ts'
import type { Family, Query } from '../../query/query.ts'
import type { Parameters } from './parameters.ts'

/**
 * What the filters of a GET ask for.
 * @throws as `parseQuery`, and `shallow-with-order`, `count-with-limit`
 * @see docs/reference/protocol.md#queries
 */
export function queryOf({ shallow, count, ...texts }: Parameters, family: Family): Query | undefined {
  const filters = filtersOf(texts)
  const query = shallow === 'true' ? parseShallowQuery(filters) : parseQuery(filters, family)
  if (count === 'true' && query?.limit !== undefined) throw new DholeError('count-with-limit')
  return query
}

function filtersOf(texts: FilterTexts): FilterTexts {
  const { orderBy, startAt, startAfter, endAt, endBefore, equalTo, limitToFirst, limitToLast } = texts
  return { orderBy, startAt, startAfter, endAt, endBefore, equalTo, limitToFirst, limitToLast }
}
