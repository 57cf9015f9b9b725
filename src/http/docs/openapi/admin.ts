import { type TSchema, Type } from '@sinclair/typebox'
import type { AdminService, OfferedStream, OfferedValue } from '../../admin/admin-service.ts'
import { OPERATIONS_PATH } from '../../admin/operation-route.ts'
import { loginBody, sessionReply } from '../../admin/session-routes.ts'
import type { DocumentedMethod, MethodsOf } from './parameters.ts'
import type { SecuritySchemeObject } from './schemas.ts'
import { mapValues, type OperationObject, type PathsObject, type ResponseObject, toOpenApi } from './schemas.ts'

export const ADMIN_TAG = 'Administration'

/** Credentials of the admin API. */
export const adminSecuritySchemes: Readonly<Record<string, SecuritySchemeObject>> = {
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: '__Host-dhole-console',
    description: 'A session of `POST /.admin/session`. Operations and logouts also need its `csrf` in `X-CSRF-Token`.',
  },
  secret: {
    type: 'http',
    scheme: 'bearer',
    description: 'For programs: the secret of the operator, or the super secret of the application of `?app=`.',
  },
}

const failure = Type.Object({
  error: Type.String({ description: 'What is wrong, in words.' }),
  code: Type.Integer({ description: 'Number of the error.' }),
})

const FAILURES: Readonly<Record<string, string>> = {
  400: 'The body is no JSON, or not what the operation takes.',
  401: 'There is no session, or the secret is wrong.',
  403: 'The session may not do this, or shows no CSRF token, or a page of another site has asked.',
  404: 'There is no such thing, or the request was not encrypted.',
  409: 'It cannot be done now.',
  429: 'Too many wrong secrets from this address.',
  500: 'The service failed. The cause is in its log.',
  503: 'The storage cannot be reached, or too much is under way.',
}

const SESSION_CALLS: Readonly<Partial<Record<DocumentedMethod, string>>> = {
  get: 'The session of the cookie',
  head: 'Whether there is a session',
  post: 'Logs in, with a new session',
  delete: 'Logs out',
}

/** The paths of the admin API. */
export function adminPaths(methodsOf: MethodsOf, operations: AdminService['operations']): PathsObject {
  const each = [...operations].map(([name, operation]) => [
    OPERATIONS_PATH + name,
    { post: operationOf(name, operation) },
  ])
  const session = methodsOf('/.admin/session').map((method) => [method, sessionOperation(method)] as const)
  return {
    '/.admin/session': Object.fromEntries(session),
    '/.admin/sessions': {
      delete: {
        ...sessionOperation('delete'),
        operationId: 'deleteSessions',
        summary: 'Logs out everywhere: all sessions of the operator, or of the application, end',
      },
    },
    ...Object.fromEntries(each),
  }
}

function sessionOperation(method: DocumentedMethod): OperationObject {
  const isLogin = method === 'post'
  const answer = method === 'delete' ? Type.Object({ result: Type.Unknown() }) : sessionReply
  const content = method === 'head' ? {} : { content: json(answer) }
  return {
    operationId: `${method}Session`,
    tags: [ADMIN_TAG],
    summary: SESSION_CALLS[method] ?? '',
    ...(isLogin ? { requestBody: { required: true, content: json(loginBody) } } : {}),
    responses: { 200: { description: 'Done.', ...content }, ...failures(method !== 'head') },
    security: isLogin ? [] : [{ session: [] }],
  }
}

function operationOf(name: string, operation: OfferedValue | OfferedStream): OperationObject {
  const result = operation.kind === 'value' ? Type.Object({ result: operation.result }) : Type.Unknown()
  const whom = operation.access === 'operator' ? 'For the operator alone.' : 'For the operator and for applications.'
  return {
    operationId: `admin-${name}`,
    tags: [ADMIN_TAG],
    summary: operation.summary,
    description: whom,
    requestBody: { required: true, content: json(operation.input) },
    responses: { 200: { description: 'Done.', content: json(result) }, ...failures(true) },
    security: Object.keys(adminSecuritySchemes).map((scheme) => ({ [scheme]: [] })),
  }
}

function failures(hasBody: boolean): Record<string, ResponseObject> {
  return mapValues(FAILURES, (description) => ({ description, ...(hasBody ? { content: json(failure) } : {}) }))
}

function json(schema: TSchema): NonNullable<ResponseObject['content']> {
  return { 'application/json': { schema: toOpenApi(schema) } }
}
