import { describe, expect, test } from 'bun:test'
import type { StreamOperation, ValueOperation } from '../../../src/admin/operation.ts'
import { OPERATIONS } from '../../../src/admin/operations.ts'
import { startInProcess } from '../../support/https-server.ts'
import { withServer } from '../../support/with-server.ts'
import { codeOf, logIn, OPERATOR, operate, tryLogin } from './console-client.ts'

const ONE = 'the super secret of application one'
const TWO = 'the super secret of application two'
const applications = { one: { secret: ONE }, two: { secret: TWO } }
const server = withServer(() => startInProcess({ console: { secret: OPERATOR }, applications }))
const asOne = () => logIn(server, { secret: ONE, application: 'one' })

const table: Readonly<Record<string, ValueOperation | StreamOperation>> = OPERATIONS
const rows = Object.entries(table).map(([name, operation]) => [name, operation] as const)
const withAccess = (access: ValueOperation['access']) => rows.filter(([, operation]) => operation.access === access)

describe('without a session', () => {
  test.each([...rows.map(([name]) => name), 'none', '__proto__', 'list/'])('%s is refused', async (name) => {
    for (const headers of [{}, { Authorization: 'Bearer wrong' }, { Authorization: `Basic ${OPERATOR}` }]) {
      const answer = await operate(server, name, { id: 'one' }, headers)
      expect({ name, status: answer.status }).toEqual({ name, status: 401 })
    }
  })
})

describe('a session of an application', () => {
  test.each(withAccess('operator').map(([name]) => name))('may not do %s, which is for the operator', async (name) => {
    const { headers } = await asOne()
    const answer = await operate(server, name, { id: 'one' }, headers)
    expect({ status: answer.status, code: codeOf(answer) }).toEqual({ status: 403, code: 20703 })
  })

  test.each(withAccess('application'))('may do %s to its own application alone', async (name, { input }) => {
    // The one member that says whose it is.
    expect(input.properties['id']).toMatchObject({ type: 'string' })
    expect(input.required).toContain('id')
    const { headers } = await asOne()
    const bearer = { Authorization: `Bearer ${ONE}` }
    for (const body of [
      '{"id":"two"}',
      '{"id":"one","id":"two"}',
      '{"ID":"one"}',
      '{"__proto__":{"id":"one"}}',
      '{"constructor":{"id":"one"}}',
      '{"id":["one"]}',
      '{"id":{"toString":"one"}}',
      '{"id":"One"}',
      '{"id":"one\\u0000"}',
      '{"id":"../one"}',
      '{"id":null}',
      '{"application":"one"}',
      '{}',
    ]) {
      for (const [sent, query] of [
        [headers, ''],
        [headers, '?app=two'],
        [bearer, '?app=one'],
      ] as const) {
        const answer = await server.call('POST', `/.admin/operations/${name}${query}`, { headers: sent, body })
        expect({ name, body, query, status: answer.status }).toEqual({ name, body, query, status: 403 })
      }
    }
    const own = await operate(server, name, { id: 'one' }, headers)
    expect([200, 400, 409]).toContain(own.status)
  })

  test.each(withAccess('local').map(([name]) => name))('cannot name %s, which HTTPS does not offer', async (name) => {
    for (const { headers } of [await asOne(), await logIn(server)]) {
      const answer = await operate(server, name, { id: 'one' }, headers)
      expect({ status: answer.status, code: codeOf(answer) }).toEqual({ status: 404, code: 20704 })
    }
  })

  test('is not got with the secret of another', async () => {
    for (const body of [
      { secret: ONE, application: 'two' },
      { secret: OPERATOR, application: 'two' },
      { secret: ONE },
      { secret: ONE, application: 'none' },
      { secret: ONE, application: '../one' },
      { secret: ONE, application: '__proto__' },
    ]) {
      const answer = await tryLogin(server, body)
      expect({ body, status: answer.status, code: codeOf(answer) }).toEqual({ body, status: 401, code: 20702 })
      expect(answer.headers.get('set-cookie')).not.toContain('=ey')
    }
    const bearer = { Authorization: `Bearer ${ONE}` }
    expect((await operate(server, 'tree-rules', { id: 'two' }, bearer, '?app=two')).status).toBe(401)
  })

  test('tells which application it is for', async () => {
    const { headers } = await asOne()
    const { text } = await server.call('GET', '/.admin/session', { headers })
    expect(JSON.parse(text)).toMatchObject({ role: 'application', application: 'one' })
  })

  test('has tokens for its own application alone', async () => {
    const { headers } = await asOne()
    const { text } = await operate(server, 'console-token', { id: 'one' }, headers)
    const { result } = JSON.parse(text) as { result: { token: string } }
    const reply = (app: string) =>
      server.call('GET', `/a.json?app=${app}`, { headers: { Authorization: `Bearer ${result.token}` } })
    expect((await reply('one')).status).toBe(200)
    expect((await reply('two')).status).toBe(401)
  })
})

test('operations for every session are few: each looks at its caller itself, and has a test of that', () => {
  const names = withAccess('any').map(([name]) => name)
  // test/system/console/own-application.test.ts; `rules-check` reads nothing of the server.
  expect(names.toSorted()).toEqual([
    'connection-end',
    'connections',
    'requests-recent',
    'rules-check',
    'stream-end',
    'streams',
  ])
})

test.each(rows.filter(([, { access }]) => access !== 'local'))(
  'the input of %s is bounded and checked before it does anything',
  async (name, { maxInputBytes }) => {
    const { headers } = await logIn(server)
    for (const [body, status, code] of [
      ['', 400, 20202],
      ['{', 400, 20202],
      ['[]', 400, 20701],
      ['"text"', 400, 20701],
      ['null', 400, 20701],
    ] as const) {
      const answer = await server.call('POST', `/.admin/operations/${name}`, { headers, body })
      expect({ name, body, status: answer.status, code: codeOf(answer) }).toEqual({ name, body, status, code })
    }
    const long = JSON.stringify({ id: 'one', more: 'a'.repeat(maxInputBytes) })
    const answer = await server.call('POST', `/.admin/operations/${name}`, { headers, body: long })
    expect({ name, status: answer.status, code: codeOf(answer) }).toEqual({ name, status: 400, code: 20404 })
  },
)

test('a body that is long is not read without a session', async () => {
  const head = [
    'POST /.admin/operations/tree-set-rules HTTP/1.1',
    'Host: localhost',
    'Content-Length: 16000000',
    'Connection: close',
  ]
  const answer = await server.raw(`${head.join('\r\n')}\r\n\r\n{"id":`, { cut: false })
  expect(answer).toStartWith('HTTP/1.1 401')
})
