/** What a carrier says of one message at one time: code and how many reports of it. */
export type Told = string | readonly string[]

/** Reports about one message, and what is known of it afterwards. */
export interface Life {
  /** Codes in the order of their reports; those in a list come in one call. An unknown code is followed by `+` or `-`. */
  readonly told: readonly Told[]
  readonly status: number
  readonly code: string
  readonly accepted: number
  readonly ignored: number
}

export const lives: readonly Life[] = [
  { told: [], status: 0, code: '', accepted: 0, ignored: 0 },
  { told: ['ENROUTE'], status: 1, code: 'ENROUTE', accepted: 1, ignored: 0 },
  { told: ['ENROUTE', 'ENROUTE'], status: 1, code: 'ENROUTE', accepted: 2, ignored: 0 },
  { told: ['ENROUTE', 'ACCEPTD', 'BUFFRED'], status: 1, code: 'BUFFRED', accepted: 3, ignored: 0 },
  { told: ['BUFFRED', 'ENROUTE'], status: 1, code: 'ENROUTE', accepted: 2, ignored: 0 },
  { told: ['ENROUTE', 'DELIVRD'], status: 2, code: 'DELIVRD', accepted: 2, ignored: 0 },
  { told: [['ENROUTE', 'DELIVRD']], status: 2, code: 'DELIVRD', accepted: 2, ignored: 0 },
  { told: ['ACCEPTD', 'UNDELIV'], status: 3, code: 'UNDELIV', accepted: 2, ignored: 0 },
  { told: ['DELIVRD'], status: 2, code: 'DELIVRD', accepted: 1, ignored: 0 },
  { told: ['DELIVRD', 'DELIVRD', 'DELIVRD'], status: 2, code: 'DELIVRD', accepted: 3, ignored: 0 },
  { told: [['DELIVRD', 'DELIVRD', 'DELIVRD']], status: 2, code: 'DELIVRD', accepted: 3, ignored: 0 },
  { told: ['DELIVRD', 'UNDELIV'], status: 2, code: 'DELIVRD', accepted: 1, ignored: 1 },
  { told: [['DELIVRD', 'UNDELIV']], status: 2, code: 'DELIVRD', accepted: 1, ignored: 1 },
  { told: ['DELIVRD', 'UNDELIV', 'UNDELIV', 'DELIVRD'], status: 2, code: 'DELIVRD', accepted: 2, ignored: 2 },
  { told: ['UNDELIV', 'DELIVRD'], status: 3, code: 'UNDELIV', accepted: 1, ignored: 1 },
  { told: ['UNDELIV', 'EXPIRED'], status: 3, code: 'UNDELIV', accepted: 1, ignored: 1 },
  { told: ['DELIVRD', 'ENROUTE'], status: 2, code: 'DELIVRD', accepted: 1, ignored: 1 },
  { told: [['DELIVRD', 'ENROUTE']], status: 2, code: 'DELIVRD', accepted: 1, ignored: 1 },
  { told: ['EXPIRED', 'BUFFRED', 'EXPIRED'], status: 3, code: 'EXPIRED', accepted: 2, ignored: 1 },
  ...['EXPIRED', 'DELETED', 'UNDELIV', 'REJECTD', 'UNKNOWN', 'MY:0001', 'MY:9999', 'DB:Black', 'DB:Back'].map(failed),
  ...['MY:4242', 'DB:Other', 'MY:', 'MY:x'].map(failed),
  { told: ['FINE+'], status: 2, code: 'FINE', accepted: 1, ignored: 0 },
  { told: ['BROKEN-'], status: 3, code: 'BROKEN', accepted: 1, ignored: 0 },
  { told: ['delivrd-'], status: 3, code: 'delivrd', accepted: 1, ignored: 0 },
  { told: ['ENROUTE', 'FINE+', 'FINE+'], status: 2, code: 'FINE', accepted: 3, ignored: 0 },
  { told: ['__proto__+'], status: 2, code: '__proto__', accepted: 1, ignored: 0 },
  { told: ['"\\"+'], status: 2, code: '"\\"', accepted: 1, ignored: 0 },
  { told: [`${'x'.repeat(64)}-`], status: 3, code: 'x'.repeat(64), accepted: 1, ignored: 0 },
]

function failed(code: string): Life {
  return { told: [code], status: 3, code, accepted: 1, ignored: 0 }
}
