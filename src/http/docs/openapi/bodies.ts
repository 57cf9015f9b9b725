import type { DocumentedMethod, TreeResource } from './parameters.ts'
import { DINOSAURS, queryExamples } from './queries.ts'
import { type ExampleObject, mapValues, type OperationObject, type SchemaName, schemaRef } from './schemas.ts'

/** A body to send, and what comes back where that is not the body itself. */
interface Exchange {
  readonly summary: string
  readonly body: unknown
  readonly reply?: unknown
}

/** Never `null` alone as a body: Swagger UI would offer it first, and it deletes. */
type Exchanges = Readonly<Record<string, Exchange>>

const ALICE = { name: 'Alice', age: 30, tags: { admin: true } }
const NAME = { name: '-NjEtLV-4x2Jc8QpZb7w' }
const TIME = 1700000000000

const put: Exchanges = {
  object: { summary: 'An object: every key becomes a child', body: ALICE },
  text: { summary: 'A leaf: string, number or boolean', body: 'Alice' },
  array: { summary: 'An array: the same as an object with the keys 0, 1, 2', body: ['red', 'green', 'blue'] },
  priority: {
    summary: 'A leaf and an object with a priority',
    body: { name: { '.value': 'Alice', '.priority': 1 }, age: 30, '.priority': 'vip' },
  },
  timestamp: {
    summary: 'The time of the commit, in milliseconds',
    body: { name: 'Alice', seen: { '.sv': 'timestamp' } },
    reply: { name: 'Alice', seen: TIME },
  },
  increment: {
    summary: 'The old number and 1',
    body: { visits: { '.sv': { increment: 1 } } },
    reply: { visits: 1 },
  },
  gaps: { summary: 'Children that are null or empty are left out', body: { name: 'Alice', age: null, tags: {} } },
  list: { summary: 'A list to sort: see `orderBy` at GET', body: DINOSAURS },
}

const post: Exchanges = mapValues(put, (exchange) => ({ ...exchange, reply: NAME }))

const patch: Exchanges = {
  members: { summary: 'Sets two children, deletes a third', body: { name: 'Bob', age: 31, tags: null } },
  paths: {
    summary: 'Several places at once: all or none',
    body: { 'name/first': 'Alice', 'name/last': 'Liddell', 'tags/admin': null },
  },
  priority: {
    summary: 'Priorities of a child and of the node itself, which must be there',
    body: { 'name/.priority': 2, '.priority': 1 },
  },
  timestamp: {
    summary: 'Server values',
    body: { seen: { '.sv': 'timestamp' }, visits: { '.sv': { increment: 1 } } },
    reply: { seen: TIME, visits: 1 },
  },
}

const putPriority: Exchanges = {
  number: { summary: 'A number', body: 7 },
  text: { summary: 'A string', body: 'high' },
  timestamp: { summary: 'The time of the commit', body: { '.sv': 'timestamp' }, reply: TIME },
}

const exchanges: Readonly<Record<string, Exchanges>> = {
  'put node': put,
  'post node': post,
  'patch node': patch,
  'put priority': putPriority,
}

/** What can stand at a place. */
const standing: Readonly<Record<TreeResource, Readonly<Record<string, ExampleObject>>>> = {
  node: {
    object: { summary: 'An object', value: ALICE },
    array: { summary: 'An array', value: ['red', 'green', 'blue'] },
    nothing: { summary: 'No node', value: null },
  },
  priority: {
    number: { summary: 'A number', value: 7 },
    text: { summary: 'A string', value: 'high' },
    nothing: { summary: 'No priority, or no node', value: null },
  },
  info: {},
}

/** What a node answers when more than the node is asked for. */
const asked: Readonly<Record<string, ExampleObject>> = {
  export: { summary: 'With `format=export`', value: { name: { '.value': 'Alice', '.priority': 1 } } },
  shallow: { summary: 'With `shallow=true`', value: { name: true, age: true, tags: true } },
  count: { summary: 'With `count=true`', value: 3 },
  time: { summary: 'With `sv=timestamp`', value: TIME },
  ...queryExamples,
}

/** `ALICE`, with its members in the order of a read. */
const READ = { age: 30, name: 'Alice', tags: { admin: true } }

/** The first events of streams. */
export const eventExamples: Readonly<Record<string, ExampleObject>> = {
  whole: {
    summary: 'All there is, then a change below it, then several places at once',
    value: [
      message('put', { path: '/', data: READ }),
      message('put', { path: '/tags/admin', data: null }),
      message('patch', { path: '/', data: { age: 31, 'tags/editor': true } }),
    ].join(''),
  },
  numbered: {
    summary: 'With `resume=true`',
    value: message('put', { path: '/', data: READ }, 'id: wLEfC2KJ0mSx4cY7Vt3A5g\n'),
  },
  silence: { summary: 'Nothing has happened for a while', value: message('keep-alive', null) },
  denied: {
    summary: 'The rules, or the data they look at, have changed; the stream ends',
    value: message('put', { path: '/', data: READ }) + farewell('cancel', 'Permission denied'),
  },
  revoked: {
    summary: 'The token has expired, or the super secret was changed; the stream ends',
    value: message('put', { path: '/', data: READ }) + farewell('auth_revoked', 'credential is no longer valid'),
  },
}

function message(name: string, data: unknown, id = ''): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n${id}\n`
}

/** The last event of a stream: its reason is no JSON. */
function farewell(name: string, reason: string): string {
  return `event: ${name}\ndata: ${reason}\n\n`
}

/** The body a method takes, with examples that can be sent as they are; `undefined` if it takes none. */
export function requestBody(
  method: DocumentedMethod,
  resource: TreeResource,
): OperationObject['requestBody'] | undefined {
  const known = exchanges[`${method} ${resource}`]
  if (known === undefined) return undefined
  const schema: SchemaName = resource === 'priority' ? 'PriorityWrite' : method === 'patch' ? 'Patch' : 'Json'
  const examples = mapValues(known, ({ summary, body }) => ({ summary, value: body }))
  return {
    required: true,
    description: 'JSON, whatever the `Content-Type` says.',
    content: { 'application/json': { schema: schemaRef(schema), examples } },
  }
}

/** Examples of what can stand at a place. */
export function standingExamples(resource: TreeResource): Readonly<Record<string, ExampleObject>> {
  return standing[resource]
}

/** Examples of what a method answers when it succeeds. */
export function replyExamples(
  method: DocumentedMethod,
  resource: TreeResource,
): Readonly<Record<string, ExampleObject>> {
  if (method === 'get') return resource === 'node' ? { ...standing.node, ...asked } : standing[resource]
  return mapValues(exchanges[`${method} ${resource}`] ?? {}, ({ summary, body, reply }) => {
    return { summary, value: reply === undefined ? body : reply }
  })
}
