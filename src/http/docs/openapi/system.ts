import type { ErrorCode } from '../../../error.ts'
import { statusOf } from '../../response/error-texts.ts'
import { errorMedia, retryAfter } from './errors.ts'
import { preflightOperation } from './operations.ts'
import type { DocumentedMethod, MethodsOf } from './parameters.ts'
import { mapValues, type OperationObject, type PathsObject, type ResponseObject, schemaRef } from './schemas.ts'
import { securitySchemes } from './security.ts'

export const SYSTEM_TAG = 'Service'

type Content = NonNullable<ResponseObject['content']>

/** One path about the service itself. */
interface Question {
  /** Ends the names of its operations. */
  readonly id: string
  readonly summary: string
  /** Summary of HEAD. */
  readonly headSummary: string
  readonly description: string
  readonly done: string
  /** As `done`, for HEAD. */
  readonly headDone?: string
  readonly content: Content
  /** Replies that are no success, without their bodies for HEAD. */
  readonly failures?: Readonly<Record<string, ResponseObject>>
  /** Whether only the owner may ask. */
  readonly isOwners?: boolean
}

const OPEN = 'Asks for no credential, and may be asked without encryption too.'
const OK = { ok: { summary: 'It is', value: { status: 'ok' } } }
const UNAVAILABLE = {
  stopping: { summary: 'It is about to end', value: { status: 'unavailable', reason: 'stopping' } },
  storage: { summary: 'Something cannot be read or written', value: { status: 'unavailable', reason: 'storage' } },
  slow: { summary: 'The disk has not answered for three seconds', value: { status: 'unavailable', reason: 'slow' } },
}
const METRICS = `# HELP dhole_build_info version of this server
# TYPE dhole_build_info gauge
dhole_build_info{version="0.1.0",bun="1.4.5"} 1
`

const METRICS_ERRORS: readonly ErrorCode[] = [
  ...(['app-not-named', 'https-required', 'unavailable', 'internal', 'permission-denied'] as const),
  ...(['bad-token', 'token-expired', 'token-payload', 'token-refused', 'too-many-failures'] as const),
]

/** What each status of `/metrics` says. */
const STATUS_TEXT: Readonly<Record<number, string>> = {
  401: 'The credential is missing or wrong.',
  403: 'The credential is not the owner’s.',
  404: 'The request came without encryption.',
  417: 'There is no default application, whose owner this is for.',
  429: 'This address has shown too many wrong credentials.',
  500: 'The service failed. The cause is in its log.',
  503: 'The default application cannot be opened.',
}

const health: Question = {
  id: 'Health',
  summary: 'Whether the process is alive',
  headSummary: 'Whether the process is alive, without a body',
  description: `Looks at nothing else. ${OPEN}`,
  done: 'It is.',
  content: { 'application/json': { schema: schemaRef('Done'), examples: OK } },
}

const ready: Question = {
  ...health,
  id: 'Ready',
  summary: 'Whether requests can be answered',
  headSummary: 'Whether requests can be answered, without a body',
  description: `Whether every application that is kept open could be read and written just now. ${OPEN}`,
  failures: {
    503: {
      description: 'It cannot read or cannot write, or is about to end.',
      content: { 'application/json': { schema: schemaRef('Unavailable'), examples: UNAVAILABLE } },
    },
  },
}

const metrics: Question = {
  id: 'Metrics',
  summary: 'The metrics of the server',
  headSummary: 'The headers of a read of the metrics',
  description:
    'For the owner of the default application. `METRICS_PORT` serves them to the same machine without a credential.',
  done: 'As Prometheus reads them.',
  headDone: 'They can be read. No body.',
  content: { 'text/plain': { schema: schemaRef('Metrics'), example: METRICS } },
  failures: mapValues(Object.groupBy(METRICS_ERRORS, statusOf), (codes = [], status) => ({
    description: STATUS_TEXT[Number(status)] ?? '',
    ...(status === '429' ? { headers: { 'Retry-After': retryAfter } } : {}),
    content: { 'application/json': errorMedia(codes) },
  })),
  isOwners: true,
}

/** The paths about the service itself. @param hasMetrics a server has metrics, the plugin alone has none */
export function systemPaths(methodsOf: MethodsOf, hasMetrics: boolean): PathsObject {
  const questions = { '/health': health, '/ready': ready, ...(hasMetrics ? { '/metrics': metrics } : {}) }
  return mapValues(questions, (question, path) => ({
    ...Object.fromEntries(methodsOf(path).map((method) => [method, operation(method, question)])),
    options: preflightOperation(question.id, SYSTEM_TAG),
  }))
}

function operation(method: DocumentedMethod, question: Question): OperationObject {
  const { id, summary, headSummary, description, done, headDone = done, content, failures = {}, isOwners } = question
  const isHead = method === 'head'
  const withoutBody = ({ content: _, ...reply }: ResponseObject): ResponseObject => reply
  return {
    operationId: `${method}${id}`,
    tags: [SYSTEM_TAG],
    summary: isHead ? headSummary : summary,
    description,
    responses: {
      200: isHead ? { description: headDone } : { description: done, content },
      ...(isHead ? mapValues(failures, withoutBody) : failures),
    },
    security: isOwners === true ? Object.keys(securitySchemes).map((name) => ({ [name]: [] })) : [],
  }
}
