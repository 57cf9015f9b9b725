import { preflight } from './operations.ts'
import type { DocumentedMethod, MethodsOf } from './parameters.ts'
import { type OperationObject, type PathItemObject, type PathsObject, schemaRef } from './schemas.ts'

export const SYSTEM_TAG = 'Service'

/** One path about the service itself. */
interface Question {
  /** Ends the names of its operations. */
  readonly id: string
  readonly summary: string
  readonly description: string
  readonly mayFail: boolean
}

const OPEN = 'Asks for no credential, and may be asked without encryption too.'
const OK = { ok: { summary: 'It is', value: { status: 'ok' } } }
const UNAVAILABLE = {
  stopping: { summary: 'It is about to end', value: { status: 'unavailable', reason: 'stopping' } },
  storage: { summary: 'Something cannot be read or written', value: { status: 'unavailable', reason: 'storage' } },
  slow: { summary: 'The disk has not answered for three seconds', value: { status: 'unavailable', reason: 'slow' } },
}
const UNREADY = 'It cannot read or cannot write, or is about to end.'

const questions: Readonly<Record<string, Question>> = {
  '/health': {
    id: 'Health',
    summary: 'Whether the process is alive',
    description: `Looks at nothing else. ${OPEN}`,
    mayFail: false,
  },
  '/ready': {
    id: 'Ready',
    summary: 'Whether requests can be answered',
    description: `Whether every application that is kept open could be read and written just now. ${OPEN}`,
    mayFail: true,
  },
}

/** The paths about the service itself that always exist. */
export function systemPaths(methodsOf: MethodsOf): PathsObject {
  const items = Object.entries(questions).map(([path, question]) => {
    return [path, systemItem(question.id, methodsOf(path), (method) => operation(method, question))] as const
  })
  return Object.fromEntries(items)
}

/** One path about the service itself. @param id ends the names of its operations */
export function systemItem(
  id: string,
  methods: readonly DocumentedMethod[],
  operationOf: (method: DocumentedMethod) => OperationObject,
): PathItemObject {
  return {
    ...Object.fromEntries(methods.map((method) => [method, operationOf(method)])),
    options: {
      operationId: `options${id}`,
      tags: [SYSTEM_TAG],
      summary: 'What browsers ask before a call',
      description: 'Asks for no credential, reads nothing.',
      responses: { 204: preflight },
      security: [],
    },
  }
}

function operation(method: DocumentedMethod, { id, summary, description, mayFail }: Question): OperationObject {
  const isHead = method === 'head'
  const content = (schema: 'Done' | 'Unavailable', examples: typeof OK | typeof UNAVAILABLE) =>
    isHead ? {} : { content: { 'application/json': { schema: schemaRef(schema), examples } } }
  return {
    operationId: `${method}${id}`,
    tags: [SYSTEM_TAG],
    summary: isHead ? `${summary}, without a body` : summary,
    description,
    responses: {
      200: { description: 'It is.', ...content('Done', OK) },
      ...(mayFail ? { 503: { description: UNREADY, ...content('Unavailable', UNAVAILABLE) } } : {}),
    },
    security: [],
  }
}
