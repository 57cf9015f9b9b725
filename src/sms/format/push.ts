import { type Static, Type } from '@sinclair/typebox'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { DholeError } from '../../error.ts'
import { CODE_FORM, CODE_PATTERN, stateOf } from '../model/carrier-codes.ts'
import type { Report, State } from '../model/report.ts'
import { RRID_FORM, RRID_PATTERN } from '../model/rrid.ts'
import type { ReceiveTime } from './receive-time.ts'

const MAX_REPORTS = 10_000
/** Reports read in one step. */
const STEP = 200
/** Longest telephone number of a report. Unknown numbers are ignored, not refused, so this is far above real lengths. */
export const MAX_MOBILE_LENGTH = 64

const elementSchema = Type.Object(
  {
    status: Type.Union([Type.Literal('Success'), Type.Literal('Failure')]),
    deliveryStatus: Type.String({ pattern: CODE_PATTERN, description: "The carrier's code, to the letter." }),
    mobile: Type.String({ minLength: 1, maxLength: MAX_MOBILE_LENGTH }),
    rrid: Type.String({ pattern: RRID_PATTERN }),
    receiveTime: Type.String({ description: '`YYYY-MM-DD HH:MM:SS` in the time zone of the application.' }),
  },
  { description: 'What the carrier says of one message. Other members are ignored.' },
)

/** Hint for each member. It never quotes the value: reports are private. */
const EXPECTED = new Map([
  ['status', 'expected "Success" or "Failure"'],
  ['deliveryStatus', `expected ${CODE_FORM}`],
  ['mobile', `expected a string of 1 to ${MAX_MOBILE_LENGTH} characters`],
  ['rrid', `expected ${RRID_FORM}`],
  ['receiveTime', 'expected YYYY-MM-DD HH:MM:SS'],
])

const envelope = { minItems: 1, maxItems: MAX_REPORTS }
const type = Type.Literal(1, { description: 'Delivery reports.' })

/** Reports as Wilddog pushes them. @see docs/reference/protocol.md#taking-in */
export const pushSchema = Type.Object({ type, data: Type.Array(elementSchema, envelope) })

type Element = Static<typeof elementSchema>

// Two schemas, so that errors are looked for only in the element that is wrong.
const envelopeCheck = TypeCompiler.Compile(Type.Object({ type, data: Type.Array(Type.Unknown(), envelope) }))
const elementCheck = TypeCompiler.Compile(elementSchema)

/**
 * Reads reports in Wilddog's push shape, with pauses.
 * @param json parsed JSON: {@link pushSchema}
 * @param time zone of their `receiveTime`
 * @throws `sms-bad-arguments` when it is anything else; its hint names the place: `data/3/receiveTime: expected …`
 * @see docs/reference/protocol.md#taking-in
 */
export function* parsePush(json: unknown, time: ReceiveTime): Generator<void, readonly Report[]> {
  const reports: Report[] = []
  for (const [index, element] of elementsOf(json).entries()) {
    const place = `data/${index}`
    if (!elementCheck.Check(element)) throw wrongElement(element, place)
    reports.push(reportOf(element, place, time))
    if (index % STEP === STEP - 1) yield
  }
  return reports
}

function elementsOf(json: unknown): readonly unknown[] {
  if (envelopeCheck.Check(json)) return json.data
  const member = envelopeCheck.Errors(json).First()?.path.slice(1)
  if (member === 'type') throw new DholeError('sms-bad-arguments', 'type: expected 1')
  if (member === 'data') throw new DholeError('sms-bad-arguments', `data: expected 1 to ${MAX_REPORTS} reports`)
  throw new DholeError('sms-bad-arguments', 'body: expected an object with type and data')
}

function wrongElement(element: unknown, place: string): DholeError {
  const member = elementCheck.Errors(element).First()?.path.slice(1) ?? ''
  const expected = EXPECTED.get(member)
  if (expected === undefined) return new DholeError('sms-bad-arguments', `${place}: expected an object`)
  return wrongMember(place, member, expected)
}

function wrongMember(place: string, member: string, expected: string): DholeError {
  return new DholeError('sms-bad-arguments', `${place}/${member}: ${expected}`)
}

function reportOf(element: Element, place: string, time: ReceiveTime): Report {
  const { status, deliveryStatus, mobile, rrid, receiveTime } = element
  const receivedAt = time.parse(receiveTime)
  if (receivedAt === undefined) throw wrongMember(place, 'receiveTime', 'expected YYYY-MM-DD HH:MM:SS')
  const state = agreedState(deliveryStatus, status)
  if (state === undefined) throw wrongMember(place, 'status', 'contradicts deliveryStatus')
  return { message: { rrid, mobile }, state, code: deliveryStatus, receivedAt }
}

/** State of a code. An unknown code takes the reported status; a known one must agree with it. */
function agreedState(code: string, status: Element['status']): Exclude<State, 0> | undefined {
  const reported = status === 'Success' ? 2 : 3
  const known = stateOf(code) ?? reported
  return known === 1 || known === reported ? known : undefined
}
