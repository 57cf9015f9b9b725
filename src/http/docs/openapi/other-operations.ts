import { errorResponses } from './errors.ts'
import { preflightOperation } from './operations.ts'
import { exchangeExamples, rulesExamples, writeSizeExamples } from './other-bodies.ts'
import { type DocumentedMethod, type MethodsOf, parametersOf, type Resource } from './parameters.ts'
import {
  type ExampleObject,
  mapValues,
  type OperationObject,
  type PathItemObject,
  type PathsObject,
  type ResponseObject,
  type SchemaName,
  schemaRef,
} from './schemas.ts'
import { securitySchemes } from './security.ts'

type Examples = Readonly<Record<string, ExampleObject>>

/** JSON of a body or an answer. */
interface Content {
  readonly schema: SchemaName
  readonly examples: Examples
}

/** One method of an endpoint beside the tree. */
interface Call {
  readonly summary: string
  readonly description: string
  readonly body?: Content
  /** What succeeds answers; nothing for HEAD. */
  readonly answer?: Content
}

/** An endpoint beside the tree. */
interface Endpoint {
  readonly resource: Resource
  /** Ends the names of its operations. */
  readonly id: string
  readonly tag: string
  /** Whether only the owner may call it. */
  readonly isOwners: boolean
  readonly calls: Readonly<Partial<Record<DocumentedMethod, Call>>>
}

const DONE: Examples = {
  done: { summary: 'They are in force; with `dryRun=true`, they could be', value: { status: 'ok' } },
}

const EXPRESSIONS = `\`.read\` and \`.write\` are granted from the root down: once one says \`true\`, nothing deeper is looked at, and
without any that does the request is denied. \`.validate\` is asked of whatever is there after a write, and all must say
\`true\`. Each is \`true\`, \`false\` or an expression over \`auth\`, \`now\`, \`root\`, \`data\`, \`newData\`, \`query\` and the
keys matched by \`$names\`. \`.indexOn\` names what the children are sorted by.`

const rules: Endpoint = {
  resource: 'rules',
  id: 'Rules',
  tag: 'Rules',
  isOwners: true,
  calls: {
    get: {
      summary: 'The rules in force',
      description: 'The text as it was written, comments and all; with `format=strict` as valid JSON.',
      answer: { schema: 'Rules', examples: rulesExamples },
    },
    head: { summary: 'The headers of a read of the rules', description: 'As GET, without the body.' },
    put: {
      summary: 'Replaces the rules',
      description:
        'All of them at once, or none: at the first mistake the answer names its line, and the old ones stay. Streams ' +
        `whose readers may not read any more end with \`cancel\`.\n\n${EXPRESSIONS}`,
      body: { schema: 'Rules', examples: rulesExamples },
      answer: { schema: 'Done', examples: DONE },
    },
  },
}

const writeSize: Endpoint = {
  resource: 'writeSize',
  id: 'WriteSize',
  tag: 'Rules',
  isOwners: true,
  calls: {
    get: {
      summary: 'How large a write may be that does not say it itself',
      description: 'What counts for writes without `writeSizeLimit`.',
      answer: { schema: 'WriteSize', examples: writeSizeExamples },
    },
    head: { summary: 'The headers of a read of that size', description: 'As GET, without the body.' },
    put: {
      summary: 'Sets how large a write may be that does not say it itself',
      description: 'One of the values of `writeSizeLimit`.',
      body: { schema: 'WriteSize', examples: writeSizeExamples },
      answer: { schema: 'WriteSize', examples: writeSizeExamples },
    },
  },
}

const exchange: Endpoint = {
  resource: 'exchange',
  id: 'Token',
  tag: 'Credentials',
  isOwners: false,
  calls: {
    post: {
      summary: 'Exchanges a custom token for an ID token',
      description:
        'For the same user with the same claims, and never good for longer than the custom token. Errors of the token ' +
        'and the body have a shape of their own here.',
      body: { schema: 'CustomToken', examples: exchangeExamples.asked },
      answer: { schema: 'IdToken', examples: exchangeExamples.answered },
    },
  },
}

const endpoints: Readonly<Record<string, Endpoint>> = {
  '/.settings/rules.json': rules,
  '/.settings/defaultWriteSizeLimit.json': writeSize,
  '/.auth/customTokenToIdToken.json': exchange,
}

/** The paths of settings and credentials. */
export function settingsPaths(methodsOf: MethodsOf): PathsObject {
  return mapValues(endpoints, (endpoint, path) => pathItem(endpoint, methodsOf(path)))
}

function pathItem(endpoint: Endpoint, methods: readonly DocumentedMethod[]): PathItemObject {
  const operations = methods.map((method) => {
    const call = endpoint.calls[method]
    if (call === undefined) throw new RangeError(`${method} of ${endpoint.id} is not described`)
    return [method, operation(method, call, endpoint)]
  })
  const { id, tag, resource } = endpoint
  const failures = errorResponses({ method: 'options', resource, named: false }, false)
  return { ...Object.fromEntries(operations), options: preflightOperation(id, tag, failures) }
}

function operation(method: DocumentedMethod, call: Call, { resource, id, tag, isOwners }: Endpoint): OperationObject {
  const { summary, description, body, answer } = call
  const parameters = parametersOf(method, resource)
  const silent = parameters.some(({ name }) => name === 'print')
  const content = (known: Content | undefined): Pick<ResponseObject, 'content'> =>
    known === undefined ? {} : { content: mediaOf(known) }
  return {
    operationId: `${method}${id}`,
    tags: [tag],
    summary,
    description,
    parameters,
    ...(body === undefined ? {} : { requestBody: { required: true, content: mediaOf(body) } }),
    responses: {
      200: { description: answer === undefined ? 'It can be read. No body.' : 'Done.', ...content(answer) },
      ...(silent ? { 204: { description: 'With `print=silent`: done, no body.' } } : {}),
      ...errorResponses({ method, resource, named: false }, false),
    },
    // A token in the body is all that the exchange wants to see.
    security: isOwners ? Object.keys(securitySchemes).map((name) => ({ [name]: [] })) : [],
  }
}

function mediaOf({ schema, examples }: Content): NonNullable<ResponseObject['content']> {
  return { 'application/json': { schema: schemaRef(schema), examples } }
}
