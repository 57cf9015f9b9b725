import { beforeAll, describe, expect, test } from 'bun:test'
import { SECRET, startInProcess } from '../../support/https-server.ts'
import { customToken } from '../../support/token.ts'
import { withServer } from '../../support/with-server.ts'
import { type Documented, errorsAt, fetchDocument, isSignIn, operationsOf } from './document.ts'
import { expectDocumented } from './expectations.ts'
import { goodBody } from './good-requests.ts'

const server = withServer(() => startInProcess({ docs: true, applications: { app: { secret: SECRET } } }))
const wary = withServer(() => startInProcess({ failedCredentials: 1, applications: { app: { secret: SECRET } } }))
let calls: Documented[]

beforeAll(async () => {
  const operations = operationsOf(await fetchDocument(server))
  calls = operations.filter((operation) => isSignIn(operation) && operation.method === 'POST')
})

test('calls answer as documented', async () => {
  expect(calls).toHaveLength(5)
  for (const call of calls) {
    const answer = await server.call('POST', call.path, { body: goodBody(call.path, 'POST') })
    expect(answer.status).toBe(200)
    expectDocumented(call, answer)
  }
})

/** Member of a body that holds the token, by the end of the path. */
const MEMBERS = [
  ['CustomToken', 'token'],
  ['/token', 'refresh_token'],
  ['', 'idToken'],
] as const

describe('calls fail as documented', () => {
  const expired = customToken(SECRET, { uid: 'alice', exp: 1 })
  const bodies: Record<string, (member: string) => string> = {
    'token-missing': () => '{}',
    'bad-token': (member) => JSON.stringify({ [member]: 'wrong' }),
    'no-data': () => '',
    'bad-data': () => '{',
    'write-too-big': (member) => JSON.stringify({ [member]: 'a'.repeat(70_000) }),
    'token-expired': (member) => JSON.stringify({ [member]: expired }),
  }

  test.each(Object.keys(bodies))('%s', async (code) => {
    for (const call of calls) {
      // Only a sign-in looks at the claims of a custom token.
      if (code === 'token-expired' && !call.path.endsWith('CustomToken')) continue
      const member = MEMBERS.find(([end]) => call.path.endsWith(end))?.[1] ?? ''
      const answer = await server.call('POST', call.path, { body: bodies[code]?.(member) })
      expect(errorsAt(call.operation, answer.status)).toContain(code)
      expectDocumented(call, answer)
      const shown = call.operation.responses[answer.status]
      const { content } = shown as { content: Record<string, { examples: Record<string, { value: object }> }> }
      expect(content['application/json']?.examples[code]?.value).toEqual(JSON.parse(answer.text))
    }
  })

  test('too many wrong tokens', async () => {
    const body = JSON.stringify({ token: 'wrong', idToken: 'wrong', refresh_token: 'wrong' })
    await wary.call('POST', calls[0]?.path ?? '', { body })
    for (const call of calls) {
      const answer = await wary.call('POST', call.path, { body })
      expect(answer.status).toBe(429)
      expectDocumented(call, answer)
    }
  })
})
