/** Who asks, when, and how. */
export interface RequestContext {
  /** What rules see as `auth`; `null` for nobody. */
  readonly auth: Readonly<Record<string, unknown>> | null
  /** Time of the operation, in milliseconds since 1970: what `{".sv":"timestamp"}` becomes. */
  readonly now: number
  /** The query of a read, if it has one. */
  readonly query?: QueryFacts | undefined
}

/** What rules see as `query`. */
export interface QueryFacts {
  readonly orderByKey: boolean
  readonly orderByValue: boolean
  readonly orderByPriority: boolean
  readonly orderByChild: string | null
  readonly startAt: string | number | boolean | null
  readonly endAt: string | number | boolean | null
  readonly equalTo: string | number | boolean | null
  readonly limitToFirst: number | null
  readonly limitToLast: number | null
}

/** A plain read: by key, without bounds. */
export const NO_QUERY: QueryFacts = {
  orderByKey: true,
  orderByValue: false,
  orderByPriority: false,
  orderByChild: null,
  startAt: null,
  endAt: null,
  equalTo: null,
  limitToFirst: null,
  limitToLast: null,
}
