import { expect, spyOn, test } from 'bun:test'
import { Elysia } from 'elysia'
import pino from 'pino'
import { mount, openApplications } from '../../../src/dhole.ts'
import { type EndedRequest, silentObserver } from '../../../src/observer.ts'
import { logObserver } from '../../../src/server/logging/log.ts'
import { clientOf } from '../../support/https-server.ts'
import { sharedCertificate } from '../../support/shared-certificate.ts'
import { tempDir } from '../../support/temp-dir.ts'
import { logLines, startWatched } from './watched-server.ts'

const ended: EndedRequest = {
  operation: 'get',
  status: 200,
  startedAt: 0,
  milliseconds: 1,
  bytesIn: 0,
  bytesOut: 0,
  id: 'id',
  method: 'GET',
  path: '/a.json',
  address: undefined,
  applicationId: undefined,
  refusal: undefined,
}

test('at debug every request has a line of its own', async () => {
  await using server = await startWatched({ LOG_LEVEL: 'debug', SLOW_REQUEST_MS: '0' })
  await server.call('PUT', '/a/b.json?print=pretty', { body: '"abc"', headers: { 'X-Request-Id': 'mine.1_2-3' } })
  await server.call('GET', '/nothing')
  await server.process.stop()
  const lines = logLines(server).filter(({ msg }) => msg === 'request')
  expect(lines).toHaveLength(2)
  expect(lines[0]).toEqual({
    level: 20,
    time: expect.any(String),
    id: 'mine.1_2-3',
    method: 'PUT',
    path: '/a/b.json',
    operation: 'put',
    status: 200,
    ms: expect.any(Number),
    bytesIn: 5,
    bytesOut: 6,
    address: '127.0.0.1',
    msg: 'request',
  })
  expect(lines[1]).toMatchObject({ operation: 'other', path: '', status: 400 })
})

test('at info only what was slow is told, and that it has begun and ended', async () => {
  await using server = await startWatched({ SLOW_REQUEST_MS: '1' })
  await server.call('GET', '/nothing')
  // Far more than a millisecond of work.
  const body = JSON.stringify(Object.fromEntries(Array.from({ length: 50_000 }, (_, at) => [`k${at}`, { at }])))
  await server.call('PUT', '/big.json', { body })
  await server.process.stop()
  const lines = logLines(server)
  const slow = lines.filter(({ msg }) => msg === 'slow request')
  expect(slow).toContainEqual(expect.objectContaining({ level: 40, method: 'PUT', path: '/big.json' }))
  expect(lines.filter(({ msg }) => msg === 'request')).toEqual([])
  expect(lines.map(({ msg }) => msg).slice(-2)).toEqual(['stopping', 'stopped'])
})

test('whoever asks much does not fill the log', async () => {
  const lines: { level: number; msg: string; requests?: number }[] = []
  const logger = pino({ level: 'info' }, { write: (line) => void lines.push(JSON.parse(line)) })
  const { requestEnded } = logObserver(logger, { slowMs: 1000, onStoreFailed: () => {} })
  const end = (status: number, milliseconds: number) => requestEnded({ ...ended, status, milliseconds })
  const clock = spyOn(performance, 'now').mockReturnValue(5000)
  try {
    for (let count = 0; count < 1000; count++) end(count % 2 === 0 ? 503 : 200, 2000)
    expect(lines).toHaveLength(20)
    clock.mockReturnValue(6000)
    end(200, 2000)
    expect(lines.slice(20)).toMatchObject([
      { level: 40, msg: 'more requests were slow or have failed, or connections were cut off', requests: 980 },
      { level: 40, msg: 'slow request' },
    ])
  } finally {
    clock.mockRestore()
  }
})

test.each([
  ['a.b_c-D9', true],
  ['x'.repeat(128), true],
  ['x'.repeat(129), false],
  ['two words', false],
  ['<script>', false],
  ['', false],
])('an error is named as its request, if that has a good name: %s', async (id, isKept) => {
  await using here = await failing()
  const { headers } = await here.call('GET', '/nothing', { headers: { 'X-Request-Id': id } })
  const told = headers.get('x-request-id') ?? ''
  if (isKept) expect(told).toBe(id)
  else expect(told).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
})

test('an error nobody foresaw is told of by the name that the client was given', async () => {
  await using here = await failing()
  const { status, headers } = await here.call('GET', '/a.json?auth_variable_override=1')
  expect(status).toBe(403)
  expect(here.failures).toEqual([])
  const failed = await here.call('GET', '/a.json?print=pretty')
  expect({ status: failed.status, text: failed.text.includes('on purpose') }).toEqual({ status: 500, text: false })
  expect(here.failures).toEqual([['GET', '/a.json', failed.headers.get('x-request-id') ?? '']])
  expect(headers.get('x-request-id')).not.toBe(failed.headers.get('x-request-id'))
})

test('an answer that is no error has no name', async () => {
  await using here = await failing()
  const { headers } = await here.call('PUT', '/a.json', { body: '1', headers: { 'X-Request-Id': 'mine' } })
  expect(headers.has('x-request-id')).toBe(false)
})

/** The plugin behind HTTPS, whose reads fail. */
async function failing() {
  const dir = await tempDir()
  const tls = await sharedCertificate()
  const failures: unknown[] = []
  const requestFailed = (method: string, path: string, _: unknown, id: string) => void failures.push([method, path, id])
  const observer = { ...silentObserver, requestFailed }
  const options = { dataDir: dir.path, applications: { app: { open: true } }, observer }
  const { applications } = openApplications(options)
  for (const { database } of applications.open) {
    database.node = () => {
      throw new Error('on purpose')
    }
  }
  const app = new Elysia({ handler: { standardHostname: false } })
    .use(mount(applications, options))
    .listen({ hostname: '127.0.0.1', port: 0, tls })
  return {
    ...clientOf(app.server?.port ?? 0, tls.cert),
    failures,
    [Symbol.asyncDispose]: async () => {
      await app.stop(true)
      await applications.close()
      await dir[Symbol.asyncDispose]()
    },
  }
}
