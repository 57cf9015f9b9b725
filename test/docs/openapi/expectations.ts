import { expect } from 'bun:test'
import { Value } from '@sinclair/typebox/value'
import type { Answer } from '../../support/https-server.ts'
import { type Documented, referred, responseOf } from './document.ts'

/** Fails unless the answer has a status the document has for the operation, and a body of the schema it has there. */
export function expectDocumented({ method, operation }: Documented, answer: Answer): void {
  const response = responseOf(operation, answer.status)
  expect(response, `status ${answer.status} ${answer.text}`).toBeDefined()
  if (response?.content === undefined || method === 'HEAD') {
    expect(answer.text).toBe('')
    return
  }
  const type = answer.headers.get('content-type')?.split(';')[0] ?? ''
  const media = response.content[type]
  expect(media, `content type ${type}`).toBeDefined()
  const body: unknown = type === 'application/json' ? JSON.parse(answer.text) : answer.text
  expect([...Value.Errors(referred(media?.schema), body)]).toEqual([])
}
