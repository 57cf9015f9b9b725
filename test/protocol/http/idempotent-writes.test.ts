import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { DholeError } from '../../../src/error.ts'
import { countStored, fileTest, openTestDatabase } from '../../support/engine.ts'
import { openSource } from '../../support/event-source.ts'
import { type Answer, type HttpsServer, SECRET, startInProcess } from '../../support/https-server.ts'
import { tempDir } from '../../support/temp-dir.ts'
import { customToken } from '../../support/token.ts'

const RULES = {
  rules: {
    open: { '.read': true, '.write': true },
    once: { '.write': '!data.exists()' },
    users: { $user: { '.read': 'auth.uid === $user', '.write': 'auth.uid === $user' } },
  },
}

function locked(): Promise<HttpsServer> {
  return startInProcess({ applications: { app: { secret: SECRET, rules: JSON.stringify(RULES) } } })
}

function tokenOf(uid: string, more: Readonly<Record<string, unknown>> = {}): string {
  return customToken(SECRET, { uid, ...more })
}

function isReplayed({ headers }: Answer): boolean {
  return headers.get('idempotency-replayed') === 'true'
}

/** Who sends a request: what stands behind its path. */
const CALLERS: Readonly<Record<string, string>> = {
  anybody: '',
  secret: `?auth=${SECRET}`,
  alice: `?auth=${tokenOf('alice')}`,
  bob: `?auth=${tokenOf('bob')}`,
  'the admin for nobody': `?auth=${SECRET}&auth_variable_override=null`,
  'the admin for somebody without a name': `?auth=${SECRET}&auth_variable_override=${encodeURIComponent('{"a":1}')}`,
}

describe('who sends it', () => {
  test('each has keys of their own', async () => {
    await using server = await locked()
    const headers = { 'Idempotency-Key': 'the same' }
    const names: string[] = []
    for (const replayed of [false, true]) {
      for (const [who, query] of Object.entries(CALLERS)) {
        const answer = await server.call('POST', `/open.json${query}`, { body: '1', headers })
        expect({ who, status: answer.status, replayed: isReplayed(answer) }).toEqual({ who, status: 200, replayed })
        names.push(answer.text)
      }
    }
    const callers = Object.keys(CALLERS).length
    expect(new Set(names).size).toBe(callers)
    expect(names.slice(callers)).toEqual(names.slice(0, callers))
    expect((await server.call('GET', '/open.json?count=true')).text).toBe(String(callers))
  })

  test.each([
    ['another token of the same user', `?auth=${tokenOf('alice', { claims: { role: 'cook' } })}`],
    ['the header', ''],
    [
      'an admin that acts for the user',
      `?auth=${SECRET}&auth_variable_override=${encodeURIComponent('{"uid":"alice"}')}`,
    ],
  ])('is known by %s too', async (_, query) => {
    await using server = await locked()
    const headers = { 'Idempotency-Key': 'k' }
    const first = await server.call('POST', `/users/alice.json?auth=${tokenOf('alice')}`, { body: '1', headers })
    const bearer = { ...headers, ...(query === '' ? { Authorization: `Bearer ${tokenOf('alice')}` } : {}) }
    const second = await server.call('POST', `/users/alice.json${query}`, { body: '1', headers: bearer })
    expect([isReplayed(first), isReplayed(second), second.text]).toEqual([false, true, first.text])
  })

  test('a credential that is no good is told so, whatever is remembered', async () => {
    await using server = await locked()
    const headers = { 'Idempotency-Key': 'k' }
    await server.call('POST', '/open.json', { body: '1', headers })
    const expired = tokenOf('alice', { iat: 1, exp: 2 })
    expect((await server.call('POST', `/open.json?auth=${expired}`, { body: '1', headers })).status).toBe(401)
  })

  test('the answer is theirs when the rules would not allow the write any more', async () => {
    await using server = await locked()
    const send = () => server.call('PUT', '/once.json', { body: '1', headers: { 'Idempotency-Key': 'k' } })
    expect((await send()).status).toBe(200)
    expect((await server.call('PUT', '/once.json', { body: '1' })).status).toBe(403)
    const again = await send()
    expect([again.status, again.text, isReplayed(again)]).toEqual([200, '1', true])
  })

  test('what is denied leaves nothing behind', async () => {
    await using server = await locked()
    const headers = { 'Idempotency-Key': 'k' }
    const send = (query = '') => server.call('PUT', `/users/alice.json${query}`, { body: '1', headers })
    expect([(await send()).status, (await send()).status]).toEqual([403, 403])
    const nothing = (query = '') => server.call('PATCH', `/users/alice.json${query}`, { body: '{}', headers })
    expect([(await nothing()).status, (await nothing(`?auth=${tokenOf('alice')}`)).status]).toEqual([403, 200])
    expect(await countStored(server.dataDir, 'note')).toBe(0)
    expect(isReplayed(await send(`?auth=${tokenOf('alice')}`))).toBe(false)
  })
})

test('of many at once one is written, and all are answered alike', async () => {
  await using server = await startInProcess()
  const headers = { 'Idempotency-Key': 'k' }
  const send = () => server.call('POST', '/n.json', { body: '"x"', headers })
  const answers = await Promise.all(Array.from({ length: 50 }, send))
  expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
  expect(answers.filter((answer) => !isReplayed(answer))).toHaveLength(1)
  expect((await server.call('GET', '/n.json?count=true')).text).toBe('1')
})

test('of many different ones at once one is written, and the others are refused', async () => {
  await using server = await startInProcess()
  const headers = { 'Idempotency-Key': 'k' }
  const send = (body: string) => server.call('PUT', `/n/${body}.json`, { body, headers })
  const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => send(String(index))))
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array.from({ length: 19 }, () => 422)])
  expect((await server.call('GET', '/n.json?count=true')).text).toBe('1')
})

test('listeners hear of it once', async () => {
  await using server = await startInProcess()
  await using source = await openSource(server, '/n.json')
  await source.next()
  const send = () =>
    server.call('PUT', '/n/a.json', { body: '{".sv":"timestamp"}', headers: { 'Idempotency-Key': 'k' } })
  const { text } = await send()
  await send()
  await server.call('PUT', '/n/b.json', { body: '2' })
  expect(await source.next()).toMatchObject({ path: '/a', data: Number(text) })
  expect(await source.next()).toMatchObject({ path: '/b', data: 2 })
})

test('a body that is as large as may be comes again', async () => {
  await using server = await startInProcess()
  const body = JSON.stringify({ list: Array.from({ length: 60 }, (_, index) => `${index}`.repeat(100_000)), at: 0 })
  const send = (text: string) => server.call('PUT', '/n.json', { body: text, headers: { 'Idempotency-Key': 'k' } })
  const first = await send(body)
  const second = await send(body)
  expect([first.status, isReplayed(first), isReplayed(second)]).toEqual([200, false, true])
  expect(second.text === first.text && first.text === body).toBe(true)
  expect((await send(body.replace('"at":0', '"at":1'))).status).toBe(422)
})

test('applications know nothing of the keys of others', async () => {
  const app = { open: true, secret: SECRET }
  await using server = await startInProcess({ applications: { one: app, two: app } })
  const send = (ns: string) =>
    server.call('PUT', `/n.json?ns=${ns}`, { body: '1', headers: { 'Idempotency-Key': 'k' } })
  expect([isReplayed(await send('one')), isReplayed(await send('two')), isReplayed(await send('one'))]).toEqual([
    false,
    false,
    true,
  ])
})

fileTest('it reads the bytes of the file', 'neither keys nor names of users stand in the file', async () => {
  await using directory = await tempDir()
  const key = 'a-key-that-is-a-secret-of-its-caller'
  {
    await using server = await startInProcess({
      dataDir: directory.path,
      applications: { app: { secret: SECRET, rules: JSON.stringify(RULES) } },
    })
    const target = `/open.json?auth=${tokenOf('a-user-of-that-name')}`
    expect((await server.call('PUT', target, { body: '1', headers: { 'Idempotency-Key': key } })).status).toBe(200)
  }
  const bytes = await Bun.file(directory.file('apps/app.sqlite')).text()
  expect([bytes.includes(key), bytes.includes('a-user-of-that-name'), bytes.includes('note')]).toEqual([
    false,
    false,
    true,
  ])
})

describe('the embedded database', () => {
  test('knows it as an option', async () => {
    await using directory = await tempDir()
    const file = directory.file('tree.sqlite')
    const increment = { n: { '.sv': { increment: 2 } } }
    {
      await using db = await openTestDatabase({ file })
      await db.put('/n', 1)
      expect(await db.patch('/', increment, { idempotencyKey: 'k' })).toMatchObject({ kind: 'written', json: { n: 3 } })
    }
    await using db = await openTestDatabase({ file })
    await db.put('/n', 10)
    const again = await db.patch('/', increment, { idempotencyKey: 'k' })
    expect(again).toMatchObject({ kind: 'written', json: { n: 3 }, replayed: true })
    expect(await db.get('/n')).toBe(10)
    const appended = await db.post('/list', { '.sv': 'timestamp' }, { idempotencyKey: 'p' })
    expect(await db.post('/list', { '.sv': 'timestamp' }, { idempotencyKey: 'p' })).toEqual({
      name: appended.name,
      etag: appended.etag,
      replayed: true,
    })
    const refused: unknown[] = []
    await db.put('/n', 1, { idempotencyKey: 'k' }).catch((error: unknown) => refused.push(error))
    await db.put('/n', 1, { idempotencyKey: '' }).catch((error: unknown) => refused.push(error))
    await db.delete('/n', { idempotencyKey: 'k\n' }).catch((error: unknown) => refused.push(error))
    expect(refused.map((error) => (error instanceof DholeError ? error.code : error))).toEqual([
      'key-reused',
      'bad-parameter',
      'bad-parameter',
    ])
    expect(await db.count('/list')).toBe(1)
  })

  test('a write sent several times is done once, whatever is written and between what', async () => {
    await using directory = await tempDir()
    await using db = await openTestDatabase({ file: directory.file('tree.sqlite') })
    const step = fc.record({
      place: fc.constantFrom('a', 'b', 'c'),
      key: fc.nat(12),
      by: fc.integer({ min: 1, max: 9 }),
    })
    let run = 0
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), fc.nat(10), async (steps, together) => {
        run++
        await db.put('/', null)
        const sums = new Map<string, number>()
        const first = new Map<number, { place: string; by: number; json: unknown }>()
        for (let from = 0; from < steps.length; from += together + 1) {
          const batch = steps.slice(from, from + together + 1)
          const outcomes = await Promise.allSettled(
            batch.map(({ place, key, by }) =>
              db.put(`/${place}`, { '.sv': { increment: by } }, { idempotencyKey: `${run}-${key}` }),
            ),
          )
          for (const [index, { place, key, by }] of batch.entries()) {
            const outcome = outcomes[index]
            const known = first.get(key)
            if (known === undefined) {
              const sum = (sums.get(place) ?? 0) + by
              sums.set(place, sum)
              first.set(key, { place, by, json: sum })
              expect(outcome).toMatchObject({ status: 'fulfilled', value: { kind: 'written', json: sum } })
            } else if (known.place === place && known.by === by) {
              expect(outcome).toMatchObject({ status: 'fulfilled', value: { json: known.json, replayed: true } })
            } else expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'key-reused' } })
          }
        }
        expect(await db.get('/')).toEqual(sums.size === 0 ? null : Object.fromEntries(sums))
      }),
      { numRuns: 60 },
    )
  })
})
