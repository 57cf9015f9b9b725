/** The ordered queries that are measured without HTTP. */
import type { QuerySpec } from '../../src/query/query.ts'
import type { Path } from '../../src/tree/path.ts'
import { urlOf } from './blogs.ts'
import { CHOSEN, districtAt, nameAt, PLACES_PATH, RANKED_PATH, SCORES_PATH } from './places.ts'

export interface Question {
  readonly title: string
  readonly list: Path
  /** What is taken of the answer: its text, its parsed children, or their number. */
  readonly takes: 'text' | 'children' | 'count'
  /** Whether it is about all children of the list; otherwise it chooses 20. */
  readonly whole?: boolean
  /** Places of the list it is asked at. Default `SPOTS`. */
  readonly spots?: number
  /** @param spot from 0 to 1, where in the list to ask */
  spec(spot: number, children: number): QuerySpec
}

export type QuestionName = keyof typeof questions

/** Places of a list to ask at: 1000 rows, so that growth is not that of the cache. */
export const SPOTS = 50
/** Places enough for 100,000 rows, more than the engine keeps in its own pages. */
const MANY_SPOTS = 5000
/** Coprime to both, so that few calls are scattered as well as many. */
const SPOT_STRIDE = 3081

/** From 0 to 1: where the call of that number asks. */
export function spotOf(index: number, spots: number = SPOTS): number {
  return ((index * SPOT_STRIDE) % spots) / spots
}

/** Request target of a query of the places: every filter as JSON, as the protocol wants it. */
export function queryTarget(spec: QuerySpec): string {
  const parameters = Object.entries(spec).map(([name, value]) => `${name}=${encodeURIComponent(JSON.stringify(value))}`)
  return `${urlOf(PLACES_PATH)}?${parameters.join('&')}`
}

const first = (orderBy: string) => (): QuerySpec => ({ orderBy, limitToFirst: CHOSEN })
const byName = (spot: number, children: number): QuerySpec => ({
  orderBy: 'name',
  startAt: nameAt(Math.floor(spot * (children - CHOSEN)), children),
  limitToFirst: CHOSEN,
})
const byDistrict = (spot: number, children: number): QuerySpec => ({
  orderBy: 'district',
  equalTo: districtAt(Math.floor((spot * children) / CHOSEN)),
})

export const questions = {
  first: { title: 'by child, limitToFirst', list: PLACES_PATH, takes: 'text', spec: first('name') },
  deep: { title: 'by deep child, limitToFirst', list: PLACES_PATH, takes: 'text', spec: first('at/added') },
  value: { title: 'by $value, limitToFirst', list: SCORES_PATH, takes: 'text', spec: first('$value') },
  priority: { title: 'by $priority, limitToFirst', list: RANKED_PATH, takes: 'text', spec: first('$priority') },
  key: { title: 'by $key, limitToFirst', list: PLACES_PATH, takes: 'text', spec: first('$key') },
  from: { title: 'by child, startAt, limitToFirst', list: PLACES_PATH, takes: 'text', spec: byName },
  fromAny: {
    title: 'by child, startAt at 5000 places, limitToFirst',
    list: PLACES_PATH,
    takes: 'text',
    spots: MANY_SPOTS,
    spec: byName,
  },
  equal: { title: 'by child, equalTo', list: PLACES_PATH, takes: 'text', spec: byDistrict },
  last: {
    title: 'by child, limitToLast',
    list: PLACES_PATH,
    takes: 'text',
    spec: () => ({ orderBy: 'name', limitToLast: CHOSEN }),
  },
  countSome: { title: 'count, equalTo', list: PLACES_PATH, takes: 'count', spec: byDistrict },
  countAll: {
    title: 'count of the whole list',
    list: PLACES_PATH,
    takes: 'count',
    whole: true,
    spec: () => ({ orderBy: 'name' }),
  },
  firstParsed: { title: '20 by child', list: PLACES_PATH, takes: 'children', spec: first('name') },
  fromParsed: { title: '20 by child from a value on', list: PLACES_PATH, takes: 'children', spec: byName },
  equalParsed: { title: 'all of one value', list: PLACES_PATH, takes: 'children', spec: byDistrict },
} as const satisfies Readonly<Record<string, Question>>
