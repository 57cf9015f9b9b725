import { ALLOWED_METHODS } from '../../response/reply.ts'
import { eventExamples, replyExamples, requestBody, standingExamples } from './bodies.ts'
import { authDebug, errorResponses } from './errors.ts'
import { type DocumentedMethod, type MethodsOf, parametersOf, pathParameter, type TreeResource } from './parameters.ts'
import {
  type HeaderObject,
  mapValues,
  type OperationObject,
  type PathItemObject,
  type PathsObject,
  type ResponseObject,
  type SchemaName,
  schemaRef,
} from './schemas.ts'

/** One path of the document. */
interface Place {
  readonly resource: TreeResource
  /** Begins the names of its operations. */
  readonly id: string
  readonly tag: string
  readonly what: string
  /** Those of the tree that mean something here. Default all. */
  readonly methods?: readonly DocumentedMethod[]
  /** What GET answers. */
  readonly read: SchemaName
  /** Example of the path parameter, where there is one. */
  readonly path?: string
}

const INFO: readonly DocumentedMethod[] = ['get', 'head', 'options']
const PRIORITY: readonly DocumentedMethod[] = ['get', 'put', 'delete', 'head', 'options']
const PRIORITY_PLACE = { resource: 'priority', tag: 'Priorities', methods: PRIORITY, read: 'Priority' } as const
const INFO_PLACE = { resource: 'info', tag: 'Connection', methods: INFO } as const

const places: Readonly<Record<string, Place>> = {
  '/{path}.json': {
    resource: 'node',
    id: 'Node',
    tag: 'Tree',
    what: 'the node',
    read: 'Json',
    path: 'users/alice',
  },
  '/.json': { resource: 'node', id: 'Root', tag: 'Root', what: 'the whole tree', read: 'Json' },
  '/{path}/.priority.json': {
    ...PRIORITY_PLACE,
    id: 'Priority',
    what: 'the priority of the node',
    path: 'users/alice',
  },
  '/.priority.json': { ...PRIORITY_PLACE, id: 'RootPriority', what: 'the priority of the root' },
  '/.info/connected.json': { ...INFO_PLACE, id: 'Connected', what: 'whether the service is there', read: 'True' },
  '/.info/serverTimeOffset.json': {
    ...INFO_PLACE,
    id: 'ServerTimeOffset',
    what: 'how far the clock of the service is ahead, in milliseconds',
    read: 'Zero',
  },
}

const VERBS: Readonly<Record<DocumentedMethod, string>> = {
  get: 'Reads',
  head: 'The headers of a read of',
  put: 'Replaces',
  post: 'Appends a child to',
  patch: 'Changes places below',
  delete: 'Deletes',
  options: 'What browsers ask before a call of',
}

const DESCRIPTIONS: Readonly<Record<DocumentedMethod, string>> = {
  get: 'A node that is not there is `null`.',
  head: 'As GET, without the body.',
  put: 'Value, whole subtree and priority. Answers what was sent, server values filled in.',
  post:
    'The key is generated: 20 characters, later ones sort behind. `null` makes a key and stores nothing. ' +
    'Stands for another method where that one cannot be sent: see `X-HTTP-Method-Override`.',
  patch:
    'Each key of the body is a path, and no path may cover another. All is written at once, or nothing. ' +
    'Answers what was sent, server values filled in. Knows no `ETag`.',
  delete: 'A node that is not there is no error. A body is ignored.',
  options: 'Asks for no credential, reads nothing.',
}

/** What GET of a node does beside reading it. */
const QUERIES = `

With \`orderBy\` it answers the children in an order, cut by bounds and a limit: the filters \`startAt\`,
\`startAfter\`, \`endAt\`, \`endBefore\`, \`equalTo\`, \`limitToFirst\` and \`limitToLast\`, which need
\`orderBy\`. Their values are JSON: quotes belong to a string. The members of the answer stand in its text in that
order: parsers that put integer keys first lose it.

Values stand in the order nothing, \`false\`, \`true\`, numbers, strings, objects; equal ones by key. No child chosen is
\`{}\`. \`count=true\` answers how many are chosen, and \`shallow=true\` takes filters by key without \`orderBy\`.`

/** What GET of a node does when it need not end. */
const STREAMS = `

With \`Accept: text/event-stream\` it opens a stream: first an event \`put\` of all there is, or of what a query
chooses, then one for every change. \`put\` replaces what stands at \`path\`; \`patch\` replaces each member of
\`data\`, whose keys are paths, below it; \`null\` takes away. After a while of silence comes \`keep-alive\`.
The rules are asked again when they, or what they have looked at, have changed: once they deny, \`cancel\` ends the
stream. \`auth_revoked\` does when the credential is not good any more. The data of these two is the reason, as bare
text.
\`shallow\`, \`count\`, \`callback\` and \`download\` do not go with it. It cannot be tried out here; the page
\`docs/live\` shows one.`

const etag: HeaderObject = {
  description: 'Names the content of the node, `null_etag` where none is. Sent when asked for and with `if-match`.',
  schema: { type: 'string' },
}
const replayed: HeaderObject = {
  description: 'The answer to an earlier request of the same `Idempotency-Key`; this one wrote nothing.',
  schema: { type: 'string', enum: ['true'] },
}
const tagged = { ETag: etag, 'X-Firebase-Auth-Debug': authDebug }

const elsewhere: ResponseObject = {
  description: 'Streams are served by another host: the same request has to go there. No body.',
  headers: { Location: { description: 'The same path and query there.', schema: { type: 'string' } } },
}

const corsHeaders: Readonly<Record<string, HeaderObject>> = {
  Allow: { description: 'The methods there are.', schema: { type: 'string', enum: [ALLOWED_METHODS] } },
  'Access-Control-Allow-Origin': { description: 'Every origin.', schema: { type: 'string', enum: ['*'] } },
  'Access-Control-Allow-Methods': { description: 'The same methods.', schema: { type: 'string' } },
  'Access-Control-Allow-Headers': { description: 'The headers that mean something.', schema: { type: 'string' } },
  'Access-Control-Max-Age': { description: 'Seconds.', schema: { type: 'string' } },
}

/** The answer to what browsers ask before a call. */
const preflight: ResponseObject = { description: 'What may be called.', headers: corsHeaders }

/** What browsers ask before a call of a path beside the tree. @param failures replies that are no success */
export function preflightOperation(
  id: string,
  tag: string,
  failures: OperationObject['responses'] = {},
): OperationObject {
  return {
    operationId: `options${id}`,
    tags: [tag],
    summary: 'What browsers ask before a call',
    description: 'Asks for no credential, reads nothing.',
    responses: { 204: preflight, ...failures },
    security: [],
  }
}

/** Every path of the tree. */
export function treePaths(methodsOf: MethodsOf): PathsObject {
  const all: readonly DocumentedMethod[] = [...methodsOf('/*'), 'options']
  return mapValues(places, (place): PathItemObject => {
    const methods = all.filter((method) => place.methods?.includes(method) ?? true)
    return Object.fromEntries(methods.map((method) => [method, operation(method, place)]))
  })
}

function operation(method: DocumentedMethod, { resource, id, tag, what, read, path }: Place): OperationObject {
  const body = requestBody(method, resource)
  return {
    operationId: `${method}${id}`,
    tags: [tag],
    summary: `${VERBS[method]} ${what}`,
    description: DESCRIPTIONS[method] + (isListened(method, resource) ? QUERIES + STREAMS : ''),
    parameters: [...(path === undefined ? [] : [pathParameter(path)]), ...parametersOf(method, resource)],
    ...(body === undefined ? {} : { requestBody: body }),
    responses: {
      ...successes(method, resource, read),
      ...errorResponses({ method, resource, named: path !== undefined }, method === 'get'),
    },
    ...(method === 'options' ? { security: [] } : {}),
  }
}

/** Whether it can be a stream. */
function isListened(method: DocumentedMethod, resource: TreeResource): boolean {
  return method === 'get' && resource === 'node'
}

/** Answers that are no errors. */
function successes(method: DocumentedMethod, resource: TreeResource, read: SchemaName): Record<string, ResponseObject> {
  if (method === 'options') return { 204: preflight }
  const headers = headersOf(method, resource)
  const silent: ResponseObject = { description: 'With `print=silent`: done, no body.', ...headers }
  if (method === 'get' || method === 'head') {
    const unchanged = { description: 'The node still has the `ETag` of `If-None-Match`. No body.', ...headers }
    const download = { 'Content-Disposition': { description: 'With `download`.', schema: { type: 'string' } } } as const
    return {
      200: {
        description: method === 'head' ? 'It can be read. No body.' : 'The value of the node.',
        headers: { ...headers.headers, ...download },
        ...(method === 'head' ? {} : { content: readContent(method, resource, read) }),
      },
      204: silent,
      ...(resource === 'info' ? {} : { 304: unchanged }),
      ...(isListened(method, resource) ? { 307: elsewhere } : {}),
    }
  }
  const examples = replyExamples(method, resource)
  const content = { 'application/json': { schema: schemaRef(writtenSchema(method, resource)), examples } }
  return {
    200: { description: 'Done, and durable.', ...headers, content },
    204: silent,
    ...(method === 'put' || method === 'delete' ? { 412: mismatch(read, resource) } : {}),
  }
}

function headersOf(method: DocumentedMethod, resource: TreeResource): Pick<ResponseObject, 'headers'> {
  if (resource === 'info') return {}
  if (method === 'get' || method === 'head') return { headers: tagged }
  const debug = { 'X-Firebase-Auth-Debug': authDebug, 'Idempotency-Replayed': replayed }
  return { headers: method === 'patch' ? debug : { ETag: etag, ...debug } }
}

function readContent(
  method: DocumentedMethod,
  resource: TreeResource,
  read: SchemaName,
): NonNullable<ResponseObject['content']> {
  const events = { schema: schemaRef('Events'), examples: eventExamples }
  return {
    'application/json': { schema: schemaRef(read), examples: replyExamples('get', resource) },
    'application/javascript': { schema: schemaRef('Script') },
    ...(isListened(method, resource) ? { 'text/event-stream': events } : {}),
  }
}

function writtenSchema(method: DocumentedMethod, resource: TreeResource): SchemaName {
  if (method === 'delete') return 'Null'
  if (method === 'post') return 'Name'
  if (method === 'patch') return 'Patch'
  return resource === 'priority' ? 'Priority' : 'Json'
}

function mismatch(read: SchemaName, resource: TreeResource): ResponseObject {
  return {
    description: 'The node has another `ETag` than `if-match` says; nothing is written. The body is its value.',
    headers: { ...tagged, 'Idempotency-Replayed': replayed },
    content: { 'application/json': { schema: schemaRef(read), examples: standingExamples(resource) } },
  }
}
