import { type TProperties, Type } from '@sinclair/typebox'
import {
  type Parameters,
  parameterSchema,
  type SettingsParameters,
  settingsParameterSchema,
} from '../../url/parameters.ts'
import { filterExamples } from './queries.ts'
import { type ParameterObject, toOpenApi } from './schemas.ts'

/** Methods in the spelling of OpenAPI. */
export type DocumentedMethod = 'get' | 'head' | 'put' | 'post' | 'patch' | 'delete' | 'options'

/** Methods of the endpoint at a path, in the order of the table of endpoints. */
export type MethodsOf = (path: string) => readonly DocumentedMethod[]

/** What a path of the tree names: how much of the protocol applies to it. */
export type TreeResource = 'node' | 'priority' | 'info'

/** What is kept beside the tree. */
type SettingsResource = 'rules' | 'writeSize'

export type Resource = TreeResource | SettingsResource | 'exchange'

interface Use {
  readonly methods: readonly DocumentedMethod[]
  readonly resources: readonly Resource[]
}

const READS: readonly DocumentedMethod[] = ['get', 'head']
const WRITES: readonly DocumentedMethod[] = ['put', 'post', 'patch', 'delete']
const ALL: readonly DocumentedMethod[] = [...READS, ...WRITES]
const DATA: readonly Resource[] = ['node', 'priority']
const TREE: readonly Resource[] = [...DATA, 'info']
const SETTINGS: readonly Resource[] = ['rules', 'writeSize']
const EVERYWHERE: readonly Resource[] = [...TREE, ...SETTINGS, 'exchange']

/** Choosing children means something where there can be any. */
const CHOOSES: Use = { methods: READS, resources: ['node'] }

/** Where each parameter of the tree means something; the credentials are security schemes. */
const queryUses: Readonly<Record<Exclude<keyof Parameters, CredentialName>, Use>> = {
  print: { methods: ALL, resources: TREE },
  auth_variable_override: { methods: ALL, resources: TREE },
  app: { methods: ALL, resources: EVERYWHERE },
  ns: { methods: ALL, resources: EVERYWHERE },
  orderBy: CHOOSES,
  startAt: CHOOSES,
  startAfter: CHOOSES,
  endAt: CHOOSES,
  endBefore: CHOOSES,
  equalTo: CHOOSES,
  limitToFirst: CHOOSES,
  limitToLast: CHOOSES,
  shallow: { methods: READS, resources: ['node'] },
  count: { methods: READS, resources: ['node'] },
  format: { methods: READS, resources: ['node'] },
  callback: { methods: READS, resources: TREE },
  download: { methods: READS, resources: TREE },
  sv: { methods: READS, resources: ['node'] },
  resume: { methods: ['get'], resources: ['node'] },
  timeout: { methods: READS, resources: DATA },
  readSizeLimit: { methods: READS, resources: ['node'] },
  writeSizeLimit: { methods: WRITES, resources: DATA },
  'x-http-method-override': { methods: ['post'], resources: ['node'] },
}

/** Where each parameter of the settings means something. */
const settingsUses: Readonly<Record<keyof SettingsParameters, readonly Use[]>> = {
  print: [
    { methods: ['put'], resources: SETTINGS },
    { methods: READS, resources: ['writeSize'] },
  ],
  format: [{ methods: READS, resources: ['rules'] }],
  dryRun: [{ methods: ['put'], resources: ['rules'] }],
}

type CredentialName = 'auth' | 'access_token'

const headers = {
  'X-Firebase-ETag': Type.Literal('true', { description: 'Asks for the current `ETag` of the node.' }),
  'If-None-Match': Type.String({ description: 'An `ETag`: answers 304 while the node still has it.' }),
  'if-match': Type.String({
    description: 'An `ETag`: writes only if the node has it, else 412. `null_etag` is no node, `*` any node.',
  }),
  'Idempotency-Key': Type.String({
    minLength: 1,
    description:
      'Names this write, best by a random UUID. Sent again within 24 hours with the same request, it is answered as ' +
      'before and writes nothing; with another request it is refused.',
  }),
  'Last-Event-ID': Type.String({
    description:
      'Streams: the `id` of the last event seen. The stream begins with the events missed since, if they are still ' +
      'known. Browsers send it by themselves.',
  }),
  'X-HTTP-Method-Override': Type.Union(
    ['GET', 'PUT', 'POST', 'PATCH', 'DELETE'].map((method) => Type.Literal(method)),
    { description: 'The method meant. Everything, statuses included, is then as for that method.' },
  ),
  'Content-Encoding': Type.Union([Type.Literal('gzip'), Type.Literal('identity')], {
    description: 'How the body is packed. Limits count after unpacking.',
  }),
} as const satisfies TProperties

const headerUses: Readonly<Record<keyof typeof headers, Use>> = {
  'X-Firebase-ETag': { methods: [...READS, 'put', 'post', 'delete'], resources: DATA },
  'If-None-Match': { methods: READS, resources: DATA },
  'if-match': { methods: ['put', 'delete'], resources: DATA },
  'Idempotency-Key': { methods: WRITES, resources: DATA },
  'Last-Event-ID': { methods: ['get'], resources: ['node'] },
  'X-HTTP-Method-Override': { methods: ['post'], resources: ['node'] },
  'Content-Encoding': { methods: ['put', 'post', 'patch'], resources: [...DATA, ...SETTINGS, 'exchange'] },
}

/** Parameters that are read as text, with errors of their own, and are whole numbers. */
const WHOLE_NUMBERS: ReadonlySet<string> = new Set(['limitToFirst', 'limitToLast'])
const WHOLE_NUMBER = toOpenApi(Type.Integer({ minimum: 1 }))

/** Every query and header parameter that means something to a method on a resource. */
export function parametersOf(method: DocumentedMethod, resource: Resource): ParameterObject[] {
  const means = (use: Use) => use.methods.includes(method) && use.resources.includes(resource)
  const applies = ([, use]: readonly [string, Use]) => means(use)
  const queries = Object.entries(queryUses).filter(applies)
  const fields = Object.entries(headerUses).filter(applies)
  const settings = Object.entries(settingsUses).filter(([, uses]) => uses.some(means))
  return [
    ...settings.map(([name]) => parameter(name, 'query', settingsParameterSchema.properties)),
    ...queries.map(([name]) => parameter(name, 'query', parameterSchema.properties)),
    ...fields.map(([name]) => parameter(name, 'header', headers)),
  ]
}

function parameter(name: string, place: 'query' | 'header', properties: TProperties): ParameterObject {
  const property = properties[name]
  if (property === undefined) throw new RangeError(`no parameter ${name}`)
  const { description = '', ...text } = toOpenApi(property)
  const schema = WHOLE_NUMBERS.has(name) ? WHOLE_NUMBER : text
  const examples = place === 'query' ? filterExamples(name) : undefined
  return { name, in: place, required: false, description, schema, ...(examples === undefined ? {} : { examples }) }
}

/** The path of a node: a parameter with slashes in it, which OpenAPI cannot say. */
export function pathParameter(example: string): ParameterObject {
  return {
    name: 'path',
    in: 'path',
    required: true,
    description:
      'Keys from the root down, at most 32, with slashes between them, bare or as `%2F`; other characters are ' +
      'percent-escaped. ' +
      'A key has 1 to 768 bytes and none of `. $ # [ ] /` or control characters.',
    schema: { type: 'string' },
    example,
  }
}
