import { DholeError, type ErrorCode } from '../tree/error.ts'
import { statusOf } from './error-reply.ts'
import type { DocumentedMethod, Resource } from './openapi-parameters.ts'
import { type ExampleObject, type ResponseObject, schemaRef } from './openapi-schemas.ts'
import { ALLOWED_METHODS } from './reply.ts'

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
const anyData = ({ resource }: Origin): boolean => resource !== 'info'
const anyPath = ({ named, resource }: Origin): boolean => named && resource !== 'info'
const anyBody = ({ method, resource }: Origin): boolean => resource !== 'info' && BODIES.includes(method)
const nodeBody = ({ method, resource }: Origin): boolean => resource === 'node' && BODIES.includes(method)
/** Filters are read before it is known whether anything can be chosen. */
const anyRead = ({ method }: Origin): boolean => READS.includes(method)
const nowhere = (): boolean => false

/** Which requests can fail how. The compiler sees to it that no error is forgotten. */
const reach: Readonly<Record<ErrorCode, (origin: Origin) => boolean>> = {
  'app-not-named': anyRequest,
  'app-unknown': anyRequest,
  unavailable: anyData,
  'https-required': anyRequest,
  'json-suffix-missing': (origin) => anyPath(origin) && origin.resource === 'node',
  'bad-parameter': anyRequest,
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
  'bad-order': anyRead,
  'shallow-with-order': anyRead,
  'count-with-limit': anyRead,
  'order-missing': anyRead,
  'boolean-bound': anyRead,
  'bound-types-differ': anyRead,
  'both-limits': anyRead,
  'bad-limit': anyRead,
  'index-missing': (origin) => anyRead(origin) && anyData(origin),
  'key-bound': anyRead,
  'bad-bound': anyRead,
  'priority-type': anyBody,
  'priority-boolean': (origin) => anyBody(origin) || anyRead(origin),
  'bad-server-value': anyRequest,
  'permission-denied': anyRequest,
  'read-too-big': ({ method, resource }) => resource === 'node' && READS.includes(method),
  'leaf-too-big': nodeBody,
  'write-too-big': (origin) => anyBody(origin) || (origin.resource === 'node' && origin.method === 'delete'),
  'bad-token': anyRequest,
  'priority-on-nothing': ({ method, resource }) =>
    resource === 'priority' ? method === 'put' : resource === 'node' && method === 'patch',
  internal: anyRequest,
}

const codes = Object.keys(reach) as readonly ErrorCode[]

const STATUS_TEXT: Readonly<Record<number, string>> = {
  400: 'The request is wrong; nothing is written.',
  401: 'The credential is wrong.',
  403: 'The credential, or its absence, does not allow this.',
  404: 'There is no such application, or the request came without encryption. A missing node is `null`, never 404.',
  417: 'There are several applications and the request names none.',
  500: 'The service failed. What it was stays in its log.',
  503: 'The application is out of service for now.',
}

/** The error answers of a method by status. */
export function errorResponses(origin: Origin, scripted: boolean): Record<string, ResponseObject> {
  const reachable =
    origin.method === 'options' ? (['https-required'] as const) : codes.filter((code) => reach[code](origin))
  const byStatus = Map.groupBy(reachable, statusOf)
  // A Firebase client is told 401 where others are told 403.
  if (byStatus.has(403)) byStatus.set(401, [...(byStatus.get(401) ?? []), 'permission-denied'])
  const sorted = [...byStatus].toSorted(([left], [right]) => left - right)
  return Object.fromEntries(
    sorted.map(([status, some]) => [String(status), errorResponse(status, some, origin.method === 'head', scripted)]),
  )
}

function errorResponse(
  status: number,
  some: readonly ErrorCode[],
  bodiless: boolean,
  scripted: boolean,
): ResponseObject {
  const numbers = [...new Set(some.map((code) => new DholeError(code).body.errcode))].join(', ')
  const firebase = status === 401 ? ' 20401 stands here for Firebase clients, for others at 403.' : ''
  const description = `${STATUS_TEXT[status]} \`errcode\` ${numbers}.${firebase}`
  if (bodiless) return { description: `${description} No body.` }
  const examples = Object.fromEntries(some.map((code) => [code, { $ref: `#/components/examples/${code}` }]))
  const json = { schema: schemaRef('Error'), examples }
  const script = scripted ? { 'application/javascript': { schema: schemaRef('Script') } } : {}
  return { description, content: { 'application/json': json, ...script } }
}

/** Firebase texts that name a place or parameter of the request: here those of one. */
const hints: Readonly<Partial<Record<ErrorCode, string>>> = {
  'bad-limit': 'limitToFirst must be an integer',
  'index-missing': 'Index not defined, add ".indexOn": "height", for path "/dinosaurs", to the rules',
}

/** The body of every error. */
export const errorExamples: Readonly<Record<string, ExampleObject>> = Object.fromEntries(
  codes.map((code) => {
    const { body } = new DholeError(code, hints[code])
    return [code, { summary: `${body.errcode} ${body.error}`, value: body }]
  }),
)

/** What a method gets that the document does not have. */
export const methodNotAllowed: ResponseObject = {
  description: 'Any method that is not documented.',
  headers: { Allow: { description: 'The methods there are.', schema: { type: 'string', enum: [ALLOWED_METHODS] } } },
  content: {
    'application/json': {
      schema: schemaRef('Error'),
      examples: { 'method-not-allowed': { $ref: '#/components/examples/method-not-allowed' } },
    },
  },
}
