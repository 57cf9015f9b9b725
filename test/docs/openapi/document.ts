import SwaggerParser from '@apidevtools/swagger-parser'
import type {
  Documentation,
  OperationObject,
  ParameterObject,
  ResponseObject,
} from '../../../src/http/docs/openapi/schemas.ts'
import { type SchemaName, schemas } from '../../../src/http/docs/openapi/schemas.ts'
import type { HttpsServer } from '../../support/https-server.ts'

/** An operation of the document as it was served, with what is needed to call it. */
export interface Documented {
  readonly path: string
  readonly method: string
  /** The URL path with the examples of its parameters filled in. */
  readonly target: string
  readonly operation: OperationObject
}

const METHODS = ['get', 'head', 'put', 'post', 'patch', 'delete', 'options', 'trace'] as const

export async function fetchDocument(server: Pick<HttpsServer, 'call'>, prefix = ''): Promise<Documentation> {
  const { text } = await server.call('GET', `${prefix}/swagger/json`)
  return JSON.parse(text) as Documentation
}

/** Throws unless the document is OpenAPI 3 and all its references lead somewhere. */
export async function validate(document: Documentation): Promise<void> {
  await SwaggerParser.validate(structuredClone(document) as Parameters<typeof SwaggerParser.validate>[0])
}

export function operationsOf(document: Documentation): Documented[] {
  return Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item?.[method as 'get']
      if (operation === undefined) return []
      const filled = parametersOf(operation).filter((parameter) => parameter.in === 'path')
      const target = filled.reduce((text, { name, example }) => text.replace(`{${name}}`, example as string), path)
      return [{ path, method: method.toUpperCase(), target, operation }]
    }),
  )
}

/** Whether a path is about text messages: such calls are signed, and their errors are of another family. */
export function isSms({ path }: Pick<Documented, 'path'>): boolean {
  return path.startsWith('/api/')
}

/** Whether a path signs users in: its errors have a shape of their own. */
export function isSignIn({ path }: Pick<Documented, 'path'>): boolean {
  return path.includes('.googleapis.com/')
}

/** Whether a path is about the service itself: it knows no application, so none of their errors. */
export function isSystem({ path }: Pick<Documented, 'path'>): boolean {
  return path === '/health' || path === '/ready'
}

export function parametersOf(operation: OperationObject): ParameterObject[] {
  return (operation.parameters ?? []) as ParameterObject[]
}

/** Bodies that are shown to be sent, by name. */
export function bodyExamples(operations: readonly Documented[], operationId: string): Record<string, unknown> {
  const found = operations.find(({ operation }) => operation.operationId === operationId)
  const body = found?.operation.requestBody as
    | { content: Record<string, { examples: Record<string, { value: unknown }> }> }
    | undefined
  const examples = Object.entries(body?.content['application/json']?.examples ?? {})
  return Object.fromEntries(examples.map(([name, { value }]) => [name, value]))
}

/** What is shown to put into a parameter; nothing at all is not among it. */
export function exampleValues({ examples }: ParameterObject): string[] {
  const shown = Object.values(examples ?? {}) as { readonly value: string }[]
  return shown.map(({ value }) => value).filter((value) => value !== '')
}

export function responseOf(operation: OperationObject, status: number): ResponseObject | undefined {
  return operation.responses[status] as ResponseObject | undefined
}

/** The TypeBox schema behind a reference in the document. */
export function referred(schema: unknown): (typeof schemas)[SchemaName] {
  const { $ref } = schema as { $ref: string }
  const found = schemas[$ref.replace('#/components/schemas/', '') as SchemaName]
  if (found === undefined) throw new RangeError(`no schema behind ${$ref}`)
  return found
}

/** Names of the errors a documented status shows. */
export function errorsAt(operation: OperationObject, status: number): string[] {
  return Object.keys(responseOf(operation, status)?.content?.['application/json']?.examples ?? {})
}

/** Names of all errors of an operation. */
export function allErrors(operation: OperationObject): string[] {
  const statuses = Object.keys(operation.responses).map(Number)
  return statuses.flatMap((status) => (status < 400 || status === 412 ? [] : errorsAt(operation, status)))
}
