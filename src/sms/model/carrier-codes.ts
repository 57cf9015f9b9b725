import type { State } from './report.ts'

/** A code of a carrier and the state it means. */
export interface CarrierCode {
  readonly code: string
  readonly status: Exclude<State, 0>
  readonly meaning: string
}

/** Form of a code as a regular expression: printable ASCII. */
export const CODE_PATTERN = '^[ -~]{1,64}$'
/** The same in words. */
export const CODE_FORM = '1 to 64 printable ASCII characters'
const CODE = new RegExp(CODE_PATTERN)

/** Beginnings of codes that are failures, in the table or not. */
const FAILURE_FAMILIES = ['MY:', 'DB:']

/** The codes with a known meaning: those of Wilddog, then the other states of SMPP. @see docs/reference/protocol.md#carrier-codes */
export const CARRIER_CODES: readonly CarrierCode[] = [
  { code: 'DELIVRD', status: 2, meaning: 'sent successfully' },
  { code: 'MY:0001', status: 3, meaning: 'general failure, usually an error code from the channel' },
  { code: 'MY:0002', status: 3, meaning: 'operation timed out' },
  { code: 'MY:0003', status: 3, meaning: 'network error' },
  { code: 'MY:0004', status: 3, meaning: 'limit exceeded, repeated sending' },
  { code: 'MY:0005', status: 3, meaning: 'maximum number of attempts exceeded' },
  { code: 'MY:1000', status: 3, meaning: 'program not activated' },
  { code: 'MY:1001', status: 3, meaning: 'parameter error' },
  { code: 'MY:1002', status: 3, meaning: 'user name empty' },
  { code: 'MY:1003', status: 3, meaning: 'password empty' },
  { code: 'MY:1004', status: 3, meaning: 'user name wrong' },
  { code: 'MY:1005', status: 3, meaning: 'password wrong' },
  { code: 'MY:1006', status: 3, meaning: 'IP binding error' },
  { code: 'MY:1007', status: 3, meaning: 'user disabled' },
  { code: 'MY:1106', status: 3, meaning: 'no sending channel' },
  { code: 'MY:1103', status: 3, meaning: 'telephone number empty' },
  { code: 'MY:1104', status: 3, meaning: 'telephone number duplicated' },
  { code: 'MY:1108', status: 3, meaning: 'wrong telephone number' },
  { code: 'MY:1109', status: 3, meaning: 'telephone number on a blacklist' },
  { code: 'MY:1110', status: 3, meaning: 'telephone number without a channel' },
  { code: 'MY:1111', status: 3, meaning: 'insufficient quota' },
  { code: 'MY:1112', status: 3, meaning: 'no product configured' },
  { code: 'MY:1114', status: 3, meaning: 'extension error' },
  { code: 'MY:2001', status: 3, meaning: 'content empty' },
  { code: 'MY:2105', status: 3, meaning: 'content too long' },
  { code: 'MY:2107', status: 3, meaning: 'sensitive words' },
  { code: 'MY:2113', status: 3, meaning: 'signature needed' },
  { code: 'MY:2114', status: 3, meaning: 'signature wrong' },
  { code: 'MY:9999', status: 3, meaning: 'internal system error' },
  { code: 'DB:Black', status: 3, meaning: 'blacklist' },
  { code: 'DB:Back', status: 3, meaning: 'returned by review' },
  { code: 'ENROUTE', status: 1, meaning: 'on its way' },
  { code: 'ACCEPTD', status: 1, meaning: 'accepted, being handled' },
  { code: 'BUFFRED', status: 1, meaning: 'kept by the channel until it can be sent on' },
  { code: 'EXPIRED', status: 3, meaning: 'not delivered within its time' },
  { code: 'DELETED', status: 3, meaning: 'deleted before it was delivered' },
  { code: 'UNDELIV', status: 3, meaning: 'cannot be delivered' },
  { code: 'REJECTD', status: 3, meaning: 'refused by the carrier' },
  { code: 'UNKNOWN', status: 3, meaning: 'the carrier does not know what became of it' },
]

const states = new Map(CARRIER_CODES.map(({ code, status }) => [code, status]))
const meanings = new Map(CARRIER_CODES.map(({ code, meaning }) => [code, meaning]))

/** The state a code leads to; `undefined` for one that is not known. @see docs/reference/protocol.md#states */
export function stateOf(code: string): Exclude<State, 0> | undefined {
  return states.get(code) ?? (FAILURE_FAMILIES.some((family) => code.startsWith(family)) ? 3 : undefined)
}

/** What a code means; `undefined` for one that is not known. */
export function meaningOf(code: string): string | undefined {
  return meanings.get(code)
}

/** Whether a text may be a code of a carrier. */
export function isCode(text: string): boolean {
  return CODE.test(text)
}
