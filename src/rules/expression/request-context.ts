/** Properties of a request that rules can read. */
export interface RequestContext {
  /** `auth` of the rules; `null` for an anonymous caller. */
  readonly auth: Readonly<Record<string, unknown>> | null
  /** `now` of the rules, in milliseconds since 1970: the value of `{".sv":"timestamp"}`. */
  readonly now: number
  /** `query` of the rules; `undefined` for a read without one. */
  readonly query?: QueryFacts | undefined
}

/** `query` of the rules. */
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

/** `query` of a plain read: by key, without bounds. */
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
