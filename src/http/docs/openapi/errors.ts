import { DholeError, type ErrorCode } from '../../../error.ts'
import type { Endpoint } from '../../exchange.ts'
import { allowedMethods } from '../../response/error-reply.ts'
import { bodyOf, statusOf } from '../../response/error-texts.ts'
import type { DocumentedMethod, Resource } from './parameters.ts'
import { type ExampleObject, type HeaderObject, type ResponseObject, schemaRef } from './schemas.ts'

/** Where an error can come from. */
interface Origin {
  readonly method: DocumentedMethod
  readonly resource: Resource
  /** Whether the client writes the path. */
  readonly named: boolean
}

const READS: readonly DocumentedMethod[] = ['get', 'head']
const BODIES: readonly DocumentedMethod[] = ['put', 'post', 'patch']

const anyRequest = (): boolean => true
const notExchange = ({ resource }: Origin): boolean => resource !== 'exchange'
const notInfo = ({ resource }: Origin): boolean => resource !== 'info'
const anyTree = ({ resource }: Origin): boolean => resource === 'node' || resource === 'priority' || resource === 'info'
const anyPath = ({ named }: Origin): boolean => named
const anyBody = (origin: Origin): boolean => notInfo(origin) && BODIES.includes(origin.method)
const dataBody = (origin: Origin): boolean => anyTree(origin) && anyBody(origin)
const nodeBody = ({ method, resource }: Origin): boolean => resource === 'node' && BODIES.includes(method)
/** Filters are read before it is known whether anything can be chosen. */
const anyRead = (origin: Origin): boolean => anyTree(origin) && READS.includes(origin.method)
const rulesBody = ({ method, resource }: Origin): boolean => resource === 'rules' && method === 'put'
const anyWrite = (origin: Origin): boolean => dataBody(origin) || (anyTree(origin) && origin.method === 'delete')
const nowhere = (): boolean => false

/** Errors of the calls about text messages. Of all others only `https-required` can occur there. */
export type SmsErrorCode = Extract<ErrorCode, `sms-${string}`>
/** Errors of the admin API. */
type AdminErrorCode = Extract<ErrorCode, `admin-${string}`>
/** Over HTTP a failed condition is no error: the answer is the node. */
type TreeErrorCode = Exclude<ErrorCode, SmsErrorCode | AdminErrorCode | 'condition-failed'>

/** Which requests can fail how. The compiler sees to it that no error is forgotten. */
const reach: Readonly<Record<TreeErrorCode, (origin: Origin) => boolean>> = {
  'app-not-named': anyRequest,
  'app-unknown': anyRequest,
  unavailable: notInfo,
  'https-required': anyRequest,
  'json-suffix-missing': (origin) => anyPath(origin) && origin.resource === 'node',
  // Only paths that the document does not have.
  'sockets-not-offered': nowhere,
  'bad-parameter': notExchange,
  // Only methods that the document does not have.
  'method-not-allowed': nowhere,
  'bad-data': anyBody,
  'bad-patch': ({ method }) => method === 'patch',
  'no-data': anyBody,
  'too-deep': (origin) => anyPath(origin) || nodeBody(origin),
  'key-too-long': (origin) => anyPath(origin) || nodeBody(origin),
  'bad-path': anyPath,
  'bad-key': nodeBody,
  'empty-key': nodeBody,
  'priority-method': ({ method, named }) => named && (method === 'post' || method === 'patch'),
  'key-reused': anyWrite,
  'bad-order': anyRead,
  'shallow-with-order': anyRead,
  'count-with-limit': anyRead,
  'order-missing': anyRead,
  'boolean-bound': anyRead,
  'bound-types-differ': anyRead,
  'both-limits': anyRead,
  'bad-limit': anyRead,
  'index-missing': (origin) => anyRead(origin) && notInfo(origin),
  'key-bound': anyRead,
  'bad-bound': anyRead,
  'priority-type': dataBody,
  'priority-boolean': (origin) => dataBody(origin) || anyRead(origin),
  'bad-server-value': anyTree,
  'permission-denied': notExchange,
  'read-too-big': ({ method, resource }) => resource === 'node' && READS.includes(method),
  'leaf-too-big': nodeBody,
  'write-too-big': (origin) => anyBody(origin) || (origin.resource === 'node' && origin.method === 'delete'),
  'bad-token': anyRequest,
  'token-expired': anyRequest,
  'token-payload': anyRequest,
  'token-refused': anyRequest,
  'token-missing': ({ resource }) => resource === 'exchange',
  // Only calls that the document does not have.
  'sign-in-not-offered': nowhere,
  'too-many-failures': anyRequest,
  quota: anyRequest,
  'too-busy': anyRequest,
  'body-too-slow': anyBody,
  'bad-rules': rulesBody,
  'rule-wildcards': rulesBody,
  'priority-on-nothing': ({ method, resource }) =>
    resource === 'priority' ? method === 'put' : resource === 'node' && method === 'patch',
  internal: anyRequest,
}

const codes = Object.keys(reach) as readonly TreeErrorCode[]

const STATUS_TEXT: Readonly<Record<number, string>> = {
  400: 'The request is wrong; nothing is written.',
  401: 'The credential is wrong.',
  403: 'The credential, or its absence, does not allow this.',
  404: 'There is no such application, or the request came without encryption. A missing node is `null`, never 404.',
  408: 'The body came too slowly; nothing is written.',
  417: 'There are several applications and the request names none.',
  422: 'The caller has used this idempotency key for another request; nothing is written.',
  429: 'This address has shown too many wrong credentials, and for a while none of its credentials is looked at; or it asks more often, or for more at once, than it may.',
  500: 'The service failed. The cause is in its log.',
  503: 'The application is out of service for now, or too much is under way.',
}

/** The error answers of a method by status. */
export function errorResponses(origin: Origin, scripted: boolean): Record<string, ResponseObject> {
  const reachable =
    origin.method === 'options' ? (['https-required'] as const) : codes.filter((code) => reach[code](origin))
  const byStatus = Map.groupBy(reachable, statusOf)
  // Firebase clients get 401 where others get 403.
  if (byStatus.has(403)) byStatus.set(401, [...(byStatus.get(401) ?? []), 'permission-denied'])
  const sorted = [...byStatus].toSorted(([left], [right]) => left - right)
  return Object.fromEntries(
    sorted.map(([status, some]) => [String(status), errorResponse(status, some, origin, scripted)]),
  )
}

function errorResponse(status: number, some: readonly ErrorCode[], origin: Origin, scripted: boolean): ResponseObject {
  const isDenial = some.includes('permission-denied')
  const numbers = [...new Set(some.map((code) => bodyOf(new DholeError(code)).errcode))].join(', ')
  const firebase = isDenial && status === 401 ? ' 20401 stands here for Firebase clients, for others at 403.' : ''
  const description = `${STATUS_TEXT[status]} \`errcode\` ${numbers}.${firebase}`
  const headers = {
    ...(status === 429 || status === 503 ? { 'Retry-After': retryAfter } : {}),
    ...(isDenial && anyTree(origin) && notInfo(origin) ? { 'X-Firebase-Auth-Debug': authDebug } : {}),
  }
  if (origin.method === 'head') return { description: `${description} No body.`, headers }
  const json = origin.resource === 'exchange' && TOKEN_STATUSES.has(status) ? tokenErrors(some) : errorMedia(some)
  const script = scripted ? { 'application/javascript': { schema: schemaRef('Script') } } : {}
  return { description, headers, content: { 'application/json': json, ...script } }
}

type Media = NonNullable<ResponseObject['content']>[string]

/** Bodies of errors, each shown by the example of its name. */
export function errorMedia(some: readonly ErrorCode[]): Media {
  const examples = some.map((code) => [code, { $ref: `#/components/examples/${code}` }] as const)
  return { schema: schemaRef('Error'), examples: Object.fromEntries(examples) }
}

/** Statuses of errors that have another body at the token exchange. */
const TOKEN_STATUSES: ReadonlySet<number> = new Set([400, 401, 429])

function tokenErrors(some: readonly ErrorCode[]): Media {
  const examples = some.map((code) => {
    const { errcode, message } = bodyOf(new DholeError(code))
    return [
      code,
      { summary: `${errcode} ${message}`, value: { error: { code: String(errcode), errorMessage: message } } },
    ]
  })
  return { schema: schemaRef('TokenError'), examples: Object.fromEntries(examples) }
}

/** When it is worth to come again. */
export const retryAfter: HeaderObject = { description: 'Seconds to wait.', schema: { type: 'integer' } }

/** What the rules said, for those who may know. */
export const authDebug: HeaderObject = {
  description: 'With a token that says `"debug":true`: the rules that were looked at and what they said.',
  schema: { type: 'string' },
}

/** Firebase texts that name something of the request: here those of one. */
const hints: Readonly<Partial<Record<ErrorCode, string>>> = {
  'bad-limit': 'limitToFirst must be an integer',
  'index-missing': 'Index not defined, add ".indexOn": "height", for path "/dinosaurs", to the rules',
  'bad-rules': 'Line 1: a rule is a boolean, not a number (column 20)',
  'rule-wildcards': 'Line 1: there is a second $ key beside "$a" (column 19)',
}

/** The body of every error of the tree and what is beside it, but those that no operation has, or only the exchange of tokens. */
export const errorExamples = examplesOf(
  codes.filter((code) => code !== 'token-missing' && code !== 'sockets-not-offered' && code !== 'sign-in-not-offered'),
  hints,
)

/** Bodies of errors, with the given hints in place of the general text. */
export function examplesOf(
  some: readonly ErrorCode[],
  hinted: Readonly<Partial<Record<ErrorCode, string>>>,
): Readonly<Record<string, ExampleObject>> {
  const examples = some.map((code) => {
    const body = bodyOf({ code, hint: hinted[code] })
    return [code, { summary: `${body.errcode} ${body.error}`, value: body }] as const
  })
  return Object.fromEntries(examples)
}

/** The reply to a method that the document does not have. */
export function methodNotAllowed(endpoints: readonly Endpoint[]): ResponseObject {
  const allows = [...new Set(endpoints.map(allowedMethods))]
  return {
    description: 'Any method that is not documented.',
    headers: { Allow: { description: 'The methods there are.', schema: { type: 'string', enum: allows } } },
    content: {
      'application/json': {
        schema: schemaRef('Error'),
        examples: { 'method-not-allowed': { $ref: '#/components/examples/method-not-allowed' } },
      },
    },
  }
}
