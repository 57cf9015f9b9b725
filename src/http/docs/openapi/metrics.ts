import type { ErrorCode } from '../../../error.ts'
import { statusOf } from '../../response/error-texts.ts'
import { errorMedia, retryAfter } from './errors.ts'
import type { DocumentedMethod, MethodsOf } from './parameters.ts'
import { type OperationObject, type PathsObject, type ResponseObject, schemaRef } from './schemas.ts'
import { securitySchemes } from './security.ts'
import { SYSTEM_TAG, systemItem } from './system.ts'

const EXAMPLE = `# HELP dhole_build_info version of this server
# TYPE dhole_build_info gauge
dhole_build_info{version="0.1.0",bun="1.4.5"} 1
`

/** What each status says. */
const STATUS_TEXT: Readonly<Record<number, string>> = {
  401: 'The credential is missing or wrong.',
  403: 'The credential is not the owner’s.',
  404: 'The request came without encryption.',
  417: 'There is no default application, whose owner this is for.',
  429: 'This address has shown too many wrong credentials.',
  500: 'The service failed. The cause is in its log.',
  503: 'The default application cannot be opened.',
}

const ERRORS: readonly ErrorCode[] = [
  ...(['app-not-named', 'https-required', 'unavailable', 'internal', 'permission-denied'] as const),
  ...(['bad-token', 'token-expired', 'token-payload', 'token-refused', 'too-many-failures'] as const),
]

/** The path of metrics, which a server has and the plugin alone has not. */
export function metricsPaths(methodsOf: MethodsOf): PathsObject {
  return { '/metrics': systemItem('Metrics', methodsOf('/metrics'), operation) }
}

function operation(method: DocumentedMethod): OperationObject {
  const isHead = method === 'head'
  const content = { 'text/plain': { schema: schemaRef('Metrics'), example: EXAMPLE } }
  return {
    operationId: `${method}Metrics`,
    tags: [SYSTEM_TAG],
    summary: isHead ? 'The headers of a read of the metrics' : 'The metrics of the server',
    description:
      'For the owner of the default application. `METRICS_PORT` serves them to the same machine without a credential.',
    responses: {
      200: {
        description: isHead ? 'They can be read. No body.' : 'As Prometheus reads them.',
        ...(isHead ? {} : { content }),
      },
      ...Object.fromEntries(
        [...Map.groupBy(ERRORS, statusOf)].map(([status, some]) => [status, refusal(status, some, isHead)]),
      ),
    },
    security: Object.keys(securitySchemes).map((name) => ({ [name]: [] })),
  }
}

function refusal(status: number, some: readonly ErrorCode[], isHead: boolean): ResponseObject {
  return {
    description: STATUS_TEXT[status] ?? '',
    ...(status === 429 ? { headers: { 'Retry-After': retryAfter } } : {}),
    ...(isHead ? {} : { content: { 'application/json': errorMedia(some) } }),
  }
}
