import { expect, test } from 'bun:test'
import { http2Client } from '../../support/http2-client.ts'
import { type Answer, SECRET, startInProcess } from '../../support/https-server.ts'
import { clientOfProcess, spawnServer } from '../../support/server-process.ts'
import { customToken } from '../../support/token.ts'

const LIMIT = 5
const GUESSES = 40

function guessedToken(index: number): string {
  return customToken(`a secret that is guessed ${index}`, { uid: 'ann', admin: true })
}

function guessedSecret(index: number): string {
  return `guess-${index}`
}

const KINDS = [
  ['secrets', guessedSecret],
  ['tokens', guessedToken],
] as const

/** How many were told that they are wrong, rather than to come again. */
function heard(answers: readonly Answer[]): number {
  return answers.filter(({ status }) => status === 401).length
}

function indexes(): readonly number[] {
  return [...Array(GUESSES).keys()]
}

test.each(KINDS)('no more %s than the limit are told to be wrong when they come all at once', async (_, guess) => {
  await using server = await startInProcess({ failedCredentials: LIMIT })
  await using client = http2Client(server.url, server.ca)
  const answers = await Promise.all(indexes().map((index) => client.call('GET', `/a.json?auth=${guess(index)}`)))
  expect(heard(answers)).toBeLessThanOrEqual(LIMIT)
})

test.each(KINDS)('%s on a connection that is cut are counted too', async (_, guess) => {
  await using server = await startInProcess({ failedCredentials: LIMIT })
  for (const index of indexes()) {
    await server.raw(`GET /a.json?auth=${guess(index)} HTTP/1.1\r\nHost: localhost\r\n\r\n`, { cut: true })
  }
  expect((await server.call('GET', '/a.json?auth=guess')).status).toBe(429)
})

test('who knows better is let in from the address of those who guess', async () => {
  await using server = await startInProcess({ failedCredentials: LIMIT })
  const guesses = indexes().map((index) => server.call('GET', `/a.json?auth=${guessedToken(index)}`))
  const headers = { Authorization: `Bearer ${SECRET}` }
  expect((await server.call('PUT', '/a.json', { body: '1', headers })).text).toBe('1')
  const users = indexes().map((index) => server.call('GET', `/a.json?auth=${customToken(SECRET, { uid: `${index}` })}`))
  expect((await Promise.all(users)).map(({ text }) => text)).toEqual(indexes().map(() => '1'))
  expect(heard(await Promise.all(guesses))).toBe(LIMIT)
})

test('metrics asked for without a credential are no guess', async () => {
  await using server = await spawnServer()
  const { call } = await clientOfProcess(server)
  for (const _ of indexes()) expect((await call('GET', '/metrics')).status).toBe(401)
  expect((await call('GET', '/a.json?auth=guess')).status).toBe(401)
  expect(server.output()).not.toContain('wrong credentials')
  for (const index of indexes()) await call('GET', `/a.json?auth=guess-${index}`)
  expect((await call('GET', '/a.json?auth=guess')).status).toBe(429)
  await server.stop()
  expect(server.output().match(/30 wrong credentials within a minute/g)).toHaveLength(1)
})

test('what is tried at one endpoint is counted at all', async () => {
  await using server = await startInProcess({ failedCredentials: LIMIT })
  const tries = [
    () => server.call('GET', '/a.json?auth=guess-1'),
    () => server.call('GET', '/a.json?access_token=guess-2'),
    () => server.call('GET', '/a.json', { headers: { Authorization: 'Bearer guess-3' } }),
    () => server.call('PUT', '/.settings/rules.json?auth=guess-4', { body: '{}' }),
    () => server.call('POST', '/.auth/customTokenToIdToken.json', { body: '{"token":"guess-5"}' }),
  ]
  for (const each of tries) expect((await each()).status).toBe(401)
  for (const target of ['/a.json?auth=guess-6', '/.settings/rules.json?access_token=guess-7']) {
    expect((await server.call('GET', target)).status).toBe(429)
  }
})

test('a proxy that tells ports too does not make one client many', async () => {
  await using server = await startInProcess({ failedCredentials: LIMIT, trustProxy: ['127.0.0.1'] })
  const statuses: number[] = []
  for (const index of indexes().slice(0, 2 * LIMIT)) {
    const headers = { 'X-Forwarded-For': `203.0.113.5:${40_000 + index}` }
    statuses.push((await server.call('GET', `/a.json?auth=guess-${index}`, { headers })).status)
  }
  expect(statuses.at(-1)).toBe(429)
})

test.each(['10.0.0.9', '10.0.0.9:443', '"10.0.0.9:443"'])(
  'a trusted proxy behind another, told as %s, is no client',
  async (hop) => {
    await using server = await startInProcess({ failedCredentials: LIMIT, trustProxy: ['127.0.0.1', '10.0.0.9'] })
    const guess = (client: string, index: number) =>
      server.call('GET', `/a.json?auth=guess-${index}`, { headers: { 'X-Forwarded-For': `${client}, ${hop}` } })
    for (const index of indexes().slice(0, LIMIT)) await guess('203.0.113.5', index)
    expect((await guess('203.0.113.5', LIMIT)).status).toBe(429)
    expect((await guess('203.0.113.6', LIMIT)).status).toBe(401)
  },
)

const TOKEN = 'GOOD'
const carriers: readonly (readonly [headers: string, status: number])[] = [
  ['Authorization: Bearer GOOD', 200],
  ['authorization: bEARER   GOOD  ', 200],
  ['Authorization: Bearer GOOD\r\nAuthorization: Bearer bad', 401],
  ['Authorization: Bearer bad\r\nAuthorization: Bearer GOOD', 401],
  ['Authorization: Bearer GOOD\r\nAuthorization: Bearer GOOD', 401],
  ['Authorization:\r\nAuthorization: Bearer GOOD', 401],
  ['Authorization: Bearer GOOD\r\nAuthorization:', 401],
  ['Authorization: Bearer\r\n GOOD', 400],
  ['Authorization : Bearer GOOD', 400],
  ['Authorization: Bearer', 401],
  ['Authorization:', 401],
  ['Authorization: Basic GOOD', 401],
  ['Authorization: GOOD', 401],
]

test.each(carriers)('a credential carried as %j', async (headers, status) => {
  await using server = await startInProcess()
  const carried = headers.replaceAll(TOKEN, customToken(SECRET, { admin: true }))
  const answer = await server.raw(`GET /a.json HTTP/1.1\r\nHost: localhost\r\n${carried}\r\nConnection: close\r\n\r\n`)
  expect(answer).toStartWith(`HTTP/1.1 ${status} `)
})
