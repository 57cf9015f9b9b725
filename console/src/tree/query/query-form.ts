/** What the query builder has been told; texts as typed. */
export interface QueryForm {
  readonly order: '$key' | '$value' | '$priority' | 'child'
  /** Child path of the order, where it is one. */
  readonly child: string
  readonly lower: Bound | 'none'
  readonly lowerValue: string
  readonly upper: UpperBound | 'none'
  readonly upperValue: string
  readonly limit: 'limitToFirst' | 'limitToLast'
  readonly limitValue: string
}

type Bound = 'startAt' | 'startAfter' | 'equalTo'
type UpperBound = 'endAt' | 'endBefore'

export const EMPTY_QUERY: QueryForm = {
  order: '$key',
  child: '',
  lower: 'none',
  lowerValue: '',
  upper: 'none',
  upperValue: '',
  limit: 'limitToFirst',
  limitValue: '100',
}

/** A bound as JSON: what is no JSON is a text. Bounds of keys are always texts. */
function boundOf(text: string, isKey: boolean): string {
  if (isKey) return JSON.stringify(text.replace(/^"(.*)"$/s, '$1'))
  try {
    const parsed = JSON.parse(text) as unknown
    return typeof parsed === 'object' && parsed !== null ? JSON.stringify(text) : text
  } catch {
    return JSON.stringify(text)
  }
}

/** Parameters of the request. */
export function parametersOf(form: QueryForm): Readonly<Record<string, string>> {
  const { order, child, lower, lowerValue, upper, upperValue, limit, limitValue } = form
  const isKey = order === '$key'
  const parameters: Record<string, string> = { orderBy: JSON.stringify(order === 'child' ? child : order) }
  if (lower !== 'none') parameters[lower] = boundOf(lowerValue, isKey)
  // equalTo goes with no other bound.
  if (upper !== 'none' && lower !== 'equalTo') parameters[upper] = boundOf(upperValue, isKey)
  if (limitValue !== '') parameters[limit] = limitValue
  return parameters
}
