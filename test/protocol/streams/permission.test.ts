import { describe, expect, test } from 'bun:test'
import { openTestDatabase } from '../../support/engine.ts'
import { readEventId } from '../../support/event-id.ts'
import { dataOf, EventSource, escapedTarget, openSource } from '../../support/event-source.ts'
import { SECRET } from '../../support/https-server.ts'
import { longTest, someInLanes } from '../../support/lane.ts'
import { tempDir } from '../../support/temp-dir.ts'
import { customToken, nowInSeconds } from '../../support/token.ts'
import { withServer } from '../../support/with-server.ts'

const admin = `auth=${encodeURIComponent(SECRET)}`
const REVOKED = 'event: auth_revoked\ndata: credential is no longer valid\n\n'
const CANCELLED = 'event: cancel\ndata: Permission denied\n\n'

const versions = [
  ['HTTP/1.1', false],
  ['HTTP/2', true],
] as const

const server = withServer()

function tokenOf(uid: string, more: Readonly<Record<string, unknown>> = {}): string {
  return customToken(SECRET, { v: 1, iat: nowInSeconds(), uid, ...more })
}

async function send(method: string, target: string, body?: unknown): Promise<void> {
  const options = body === undefined ? {} : { body: JSON.stringify(body) }
  const { status, text } = await server.call(method, `${target}${target.includes('?') ? '&' : '?'}${admin}`, options)
  if (status !== 200) throw new Error(`${method} ${target}: ${status} ${text}`)
}

/** Puts rules in force over a tree of this content. */
async function begin(rules: unknown, data: unknown): Promise<void> {
  await send('PUT', '/.settings/rules.json', { rules })
  await send('PUT', '/.json', data)
}

/** What comes until the end, as it came. */
async function rest(source: EventSource): Promise<string> {
  const messages: string[] = []
  for (let message = await source.nextMessage(); message !== undefined; message = await source.nextMessage()) {
    messages.push(message.raw)
  }
  return messages.join('')
}

const memberOnly = { rooms: { $room: { '.read': "root.child('members/' + $room + '/' + auth.uid).exists()" } } }
const lobby = { rooms: { lobby: { m1: { text: 'hello' } } }, members: { lobby: { ann: true, bob: true } } }

describe.each(someInLanes(versions, 2))('%s', (_, http2) => {
  test('a stream that is not allowed is an ordinary refusal', async () => {
    await begin(memberOnly, lobby)
    for (const target of ['/rooms/lobby.json', `/rooms/lobby.json?auth=${tokenOf('eve')}`, '/rooms.json']) {
      await using source = await EventSource.open(server, target, { http2 })
      expect([source.status, JSON.parse(await source.text())]).toMatchObject([403, { errcode: 20401 }])
    }
    await using firebase = await EventSource.open(server, '/rooms.json?ns=app', { http2 })
    expect(firebase.status).toBe(401)
    await using wrong = await EventSource.open(server, '/rooms.json?auth=wrong', { http2 })
    expect(wrong.status).toBe(401)
  })

  longTest('100 a credential that expires', async () => {
    await begin({ '.read': 'auth != null' }, { a: 1 })
    const token = tokenOf('ann', { exp: nowInSeconds() + 2 })
    await using source = await openSource(server, `/a.json?auth=${token}`, { http2 })
    await using filtered = await openSource(server, escapedTarget(`/.json?orderBy="$key"&auth=${token}`), { http2 })
    await using administrator = await openSource(
      server,
      `/a.json?auth=${tokenOf('root', { admin: true, exp: nowInSeconds() + 2 })}`,
      { http2 },
    )
    await using lasting = await openSource(server, `/a.json?auth=${tokenOf('ann')}`, { http2 })
    for (const each of [source, filtered, administrator]) {
      await each.next()
      expect(await rest(each)).toBe(REVOKED)
      expect(await each.ended).toBe(true)
    }
    await lasting.next()
    await send('PUT', '/a.json', 2)
    expect(await lasting.next()).toEqual({ kind: 'put', path: '/', data: 2 })
  })

  test('101 rules that do not allow it any more', async () => {
    await begin({ '.read': true }, { a: { x: 1 }, b: 1 })
    await using ended = await openSource(server, '/a.json', { http2 })
    await using filtered = await openSource(server, escapedTarget('/a.json?orderBy="$key"'), { http2 })
    await using going = await openSource(server, '/b.json', { http2 })
    await using owner = await openSource(server, `/a.json?${admin}`, { http2 })
    for (const source of [ended, filtered, going, owner]) await source.next()
    await send('PUT', '/.settings/rules.json', { rules: { b: { '.read': true } } })
    for (const source of [ended, filtered]) {
      expect(await rest(source)).toBe(CANCELLED)
      expect(await source.ended).toBe(true)
    }
    await send('PATCH', '/.json', { 'a/x': 2, b: 2 })
    expect(await going.next()).toEqual({ kind: 'put', path: '/', data: 2 })
    expect(await owner.next()).toEqual({ kind: 'patch', path: '/', data: { x: 2 } })
  })

  test('4.5 data that takes the permission away', async () => {
    await begin(memberOnly, lobby)
    const open = (uid: string, query = '') =>
      openSource(server, escapedTarget(`/rooms/lobby.json?auth=${tokenOf(uid)}${query}`), { http2 })
    await using ann = await open('ann')
    await using bob = await open('bob')
    await using filtered = await open('ann', '&orderBy="$key"&limitToLast=1')
    for (const source of [ann, bob, filtered]) await source.next()
    await send('PUT', '/rooms/lobby/m2.json', { text: 'all see this' })
    expect((await ann.next()).path).toBe('/m2')
    expect((await bob.next()).path).toBe('/m2')
    expect((await filtered.next()).kind).toBe('patch')
    await send('DELETE', '/members/lobby/ann.json')
    await send('PUT', '/rooms/lobby/m3.json', { text: 'not for ann' })
    expect(await rest(ann)).toBe(CANCELLED)
    expect(await rest(filtered)).toBe(CANCELLED)
    expect((await bob.next()).path).toBe('/m3')
  })

  test('4.5 the same commit takes the permission away and writes what must not be seen', async () => {
    await begin(memberOnly, lobby)
    await using ann = await openSource(server, `/rooms/lobby.json?auth=${tokenOf('ann')}`, { http2 })
    await ann.next()
    await send('PATCH', '/.json', { 'members/lobby/ann': null, 'rooms/lobby/m2': { text: 'secret' } })
    expect(await rest(ann)).toBe(CANCELLED)
  })

  test('a stream whose permission nobody has touched goes on where it broke off', async () => {
    await begin(memberOnly, lobby)
    const target = `/rooms/lobby.json?auth=${tokenOf('ann')}&resume=true`
    const source = await openSource(server, target, { http2 })
    const headers = { 'Last-Event-ID': (await source.nextMessage())?.id ?? '' }
    await source.close()
    await send('PUT', '/rooms/lobby/m2.json', 'missed')
    await send('PUT', '/elsewhere.json', 1)
    await send('PUT', '/rooms/lobby/m3.json', 'missed too')
    await using again = await openSource(server, target, { http2, headers })
    expect(await again.take(2)).toEqual([
      { kind: 'put', path: '/m2', data: 'missed' },
      { kind: 'put', path: '/m3', data: 'missed too' },
    ])
    await send('PUT', '/members/lobby/eve.json', true)
    await send('PUT', '/members/lobby/ann.json', 'still')
    await using anew = await openSource(server, target, { http2, headers })
    expect((await anew.next()).path).toBe('/')
  })

  test('a large node whose permission is written to while its stream opens begins with all of it', async () => {
    const rows = Object.fromEntries(Array.from({ length: 4000 }, (_each, row) => [`row${row}`, 'x'.repeat(400)]))
    await begin(memberOnly, { ...lobby, rooms: { lobby: rows } })
    let isOver = false
    let last = 0
    const writing = (async () => {
      while (!isOver) {
        await send('PATCH', '/.json', { 'members/lobby/ann': ++last, 'rooms/lobby/row7': last })
        await send('PUT', '/rooms/lobby/row8.json', last)
      }
    })()
    const target = `/rooms/lobby.json?auth=${tokenOf('ann')}&resume=true`
    const sources = await Promise.all(Array.from({ length: 4 }, () => openSource(server, target, { http2 })))
    isOver = true
    await writing
    await send('PUT', '/rooms/lobby/end.json', true)
    const { text } = await server.call('GET', `/rooms/lobby.json?${admin}`)
    for (const source of sources) {
      const numbers: number[] = []
      for (let isFirst = true, path = ''; path !== '/end'; isFirst = false) {
        const message = await source.nextMessage()
        if (message === undefined) throw new Error('the stream has ended')
        if (message.name === 'keep-alive') continue
        path = dataOf(message).path
        if (isFirst) expect(path).toBe('/')
        numbers.push(readEventId(message.id).seq)
        if ('end' in Object(source.cache.plain)) break
      }
      expect(numbers).toEqual([...new Set(numbers)].toSorted((left, right) => left - right))
      expect(Bun.deepEquals(source.cache.plain, JSON.parse(text))).toBe(true)
      await source.close()
    }
  })

  test('a resumed stream is judged as of now', async () => {
    await begin({ '.read': true }, { a: 1 })
    const source = await openSource(server, '/a.json?resume=true', { http2 })
    const id = (await source.nextMessage())?.id ?? ''
    await source.close()
    await send('PUT', '/a.json', 2)
    await send('PUT', '/.settings/rules.json', { rules: {} })
    await using again = await EventSource.open(server, '/a.json', { http2, headers: { 'Last-Event-ID': id } })
    expect(again.status).toBe(403)
  })
})

test('every write is judged by the rules before it, streams and reads by those in force', async () => {
  const rulesFor = (letter: string) => ({
    rules: { list: { '.read': true, '.write': true, $id: { '.validate': `newData.val() == '${letter}'` } } },
  })
  await begin(rulesFor('A').rules, null)
  const post = (letter: string) => server.call('POST', '/list.json', { body: JSON.stringify(letter) })
  const requests: Promise<{ status: number }>[] = []
  let change: Promise<{ status: number }> | undefined
  for (let round = 0; round < 300; round++) {
    if (round === 150) {
      change = send('PUT', '/.settings/rules.json', rulesFor('B')).then(() => ({ status: 200 }))
      requests.push(change)
    }
    requests.push(post(round % 2 === 0 ? 'A' : 'B'))
    if (round % 20 === 0) await requests.at(-1)
  }
  // All writes above may be judged before the rules are in force.
  await change
  requests.push(post('A'), post('B'))
  const statuses = (await Promise.all(requests)).map(({ status }) => status)
  expect(new Set(statuses)).toEqual(new Set([200, 403]))
  const list = JSON.parse((await server.call('GET', '/list.json')).text) as Record<string, string>
  // Keys are in the order of the writes: first those of one set of rules, then those of the other.
  const letters = Object.values(list).join('')
  expect(letters).toMatch(/^A+B+$/)
  expect(letters.length).toBe(statuses.filter((status) => status === 200).length - 1)
})

describe('embedded', () => {
  test('a caller hears of nothing that it may not read', async () => {
    await using directory = await tempDir()
    await using db = await openTestDatabase({ file: directory.file('tree') })
    await db.setRules(JSON.stringify({ rules: { a: { '.read': "root.child('who').val() == auth.uid" } } }))
    await db.put('/', { a: 1, who: 'ann' })
    const as = { kind: 'user', auth: { uid: 'ann' } } as const
    expect(await db.get('/a', { as })).toBe(1)
    const seen: unknown[] = []
    const watching = (async () => {
      for await (const { data } of db.watch('/a', { as })) {
        seen.push(data)
        if (data === 1) await db.put('/', { a: 2, who: 'bob' })
      }
    })()
    await expect(watching).rejects.toMatchObject({ code: 'permission-denied' })
    await watching.catch(() => {})
    expect(seen).toEqual([1])
    await expect(db.get('/a', { as })).rejects.toMatchObject({ code: 'permission-denied' })
    expect(await db.get('/a')).toBe(2)
  })

  test('a watcher without a caller needs no permission', async () => {
    await using directory = await tempDir()
    await using db = await openTestDatabase({ file: directory.file('tree') })
    await db.setRules('{"rules":{}}')
    await db.put('/a', 1)
    for await (const { data } of db.watch('/a')) {
      expect(data).toBe(1)
      break
    }
  })
})
