import { describe, expect, test } from 'bun:test'
import { SECRET } from '../../support/https-server.ts'
import { SdkClient } from '../../support/sdk-client.ts'
import { customToken, nowInSeconds } from '../../support/token.ts'
import { withServer } from '../../support/with-server.ts'

const server = withServer()
const admin = `auth=${encodeURIComponent(SECRET)}`

async function begin(rules: unknown, data: unknown): Promise<void> {
  await server.call('PUT', `/.settings/rules.json?${admin}`, { body: JSON.stringify({ rules }) })
  await server.call('PUT', `/.json?${admin}`, { body: JSON.stringify(data) })
}

const OPEN = { '.read': true, '.write': true }

describe('a listen', () => {
  test('is not told what its client has', async () => {
    await begin(OPEN, { a: 1, b: { c: 2, d: 'x' } })
    await using client = await SdkClient.connect(server)
    await client.request('q', { p: '/a', h: 'YPVfR2bXt/lcDjiQZ8pOkAd3qkQ=' })
    expect(client.take()).toEqual(['answer 1 ok'])
    await client.request('q', { p: '/b', h: 'YPVfR2bXt/lcDjiQZ8pOkAd3qkQ=' })
    expect(client.take()).toEqual(['d /b {"c":2,"d":"x"}', 'answer 2 ok'])
    // What follows is told to both.
    await client.request('m', { p: '/', d: { a: 2, 'b/c': 3 } })
    expect([...client.take()].sort()).toEqual(['answer 3 ok', 'd /a 2', 'm /b {"c":3}'])
  })

  test.each([
    ['a leaf', 5],
    ['a text that looks like an object', '{"a":1}'],
    ['a leaf with a priority', { '.value': 5, '.priority': 1 }],
    ['nothing', null],
  ])('with a query shows nothing of %s', async (_, data) => {
    await begin(OPEN, { l: data })
    await using client = await SdkClient.connect(server)
    await client.request('q', { p: '/l', h: '', t: 1, q: { i: '.key', l: 2, vf: 'l' } })
    const got = await client.request('g', { p: '/l', q: { i: '.key', l: 2, vf: 'l' } })
    expect(client.take()).toEqual(['d /l #1 null', 'answer 1 ok', 'answer 2 ok'])
    expect(got.data).toBeNull()
  })

  const list = { a: { h: 1 }, b: { h: 2 }, c: { h: 3 }, 10: { h: 4 }, 9: { h: null, x: 1 } }
  test.each([
    ['startAt', { i: 'h', sp: 2, sin: true }, ['10', 'b', 'c']],
    ['startAfter', { i: 'h', sp: 2, sn: '[MAX_NAME]', sin: false }, ['10', 'c']],
    ['endAt', { i: 'h', ep: 2, ein: true }, ['9', 'a', 'b']],
    ['endBefore', { i: 'h', ep: 2, en: '[MIN_NAME]', ein: false }, ['9', 'a']],
    ['equalTo', { i: 'h', sp: 3, sin: true, ep: 3, ein: true }, ['c']],
    ['a start with a key', { i: 'h', sp: null, sn: '9', ep: 1 }, ['9', 'a']],
    ['limit by priority', { l: 2, vf: 'l' }, ['9', '10']],
    ['limit from the right by key', { i: '.key', l: 2, vf: 'r' }, ['b', 'c']],
    ['keys in key order', { i: '.key', sp: '9', ep: '10' }, ['9', '10']],
  ])('chooses by %s', async (_, query, keys) => {
    await begin(OPEN, { list })
    await using client = await SdkClient.connect(server)
    const { data } = await client.request('g', { p: '/list', q: query })
    expect(Object.keys(data as object).sort()).toEqual([...keys].sort())
    await client.request('q', { p: '/list', h: '', t: 3, q: query })
    const beginning = client.take().find((message) => message.startsWith('d /list #3 '))
    expect(Object.keys(JSON.parse(beginning?.slice('d /list #3 '.length) ?? 'null')).sort()).toEqual([...keys].sort())
  })

  test('that may not be read is refused', async () => {
    await begin({ a: OPEN }, { a: 1, b: 2 })
    await using client = await SdkClient.connect(server)
    expect(await client.request('q', { p: '/b', h: '' })).toEqual({
      status: 'permission_denied',
      data: 'Permission denied',
    })
    expect((await client.request('g', { p: '/b', q: {} })).status).toBe('permission_denied')
    expect((await client.request('p', { p: '/b', d: 1 })).status).toBe('permission_denied')
    expect(client.take().filter((message) => !message.startsWith('answer'))).toEqual([])
  })

  test('is revoked by other rules, with the query as it was sent', async () => {
    await begin(OPEN, { a: { b: 1 } })
    await using client = await SdkClient.connect(server)
    const query = { l: 5, vf: 'r', i: '.key' }
    await client.request('q', { p: '/a', h: '' })
    await client.request('q', { p: '/a', h: '', t: 4, q: query })
    client.take()
    await begin({ '.read': false }, { a: { b: 2 } })
    expect([...(await client.first(2))].sort()).toEqual(['c /a', `c /a ${JSON.stringify([query])}`])
    // Nothing else comes for it, and the connection goes on.
    await client.request('s', { c: {} })
    expect(client.received.length).toBe(3)
  })

  test('is revoked by data that its rule reads', async () => {
    await begin({ a: { '.read': 'root.child("open").val() == true' } }, { a: 1, open: true })
    await using client = await SdkClient.connect(server)
    await client.request('q', { p: '/a', h: '' })
    await server.call('PUT', `/open.json?${admin}`, { body: 'false' })
    await server.call('PUT', `/a.json?${admin}`, { body: '2' })
    expect(await client.first(3)).toEqual(['d /a 1', 'answer 1 ok', 'c /a'])
  })
})

describe('a credential', () => {
  const rules = { a: { '.read': 'auth.uid == "ann"', '.write': 'auth.uid == "ann"' } }
  const tokenOf = (uid: string, more = {}) => customToken(SECRET, { v: 1, iat: nowInSeconds(), uid, ...more })

  test('opens what rules allow, until it is taken back', async () => {
    await begin(rules, { a: 1 })
    await using client = await SdkClient.connect(server)
    expect((await client.request('q', { p: '/a', h: '' })).status).toBe('permission_denied')
    const { status, data } = await client.request('auth', { cred: tokenOf('ann') })
    expect([status, (data as { auth: { uid: string } }).auth.uid]).toEqual(['ok', 'ann'])
    expect((await client.request('q', { p: '/a', h: '' })).status).toBe('ok')
    expect((await client.request('p', { p: '/a', d: 2 })).status).toBe('ok')
    client.take()
    // A new token of the same user changes nothing.
    await client.request('auth', { cred: tokenOf('ann', { n: 1 }) })
    expect(client.take()).toEqual(['answer 5 ok'])
    await client.request('unauth', {})
    expect(client.take()).toEqual(['c /a', 'answer 6 ok'])
    expect((await client.request('p', { p: '/a', d: 3 })).status).toBe('permission_denied')
  })

  test('of another user revokes what that one may not read', async () => {
    await begin(rules, { a: 1 })
    await using client = await SdkClient.connect(server)
    await client.request('auth', { cred: tokenOf('ann') })
    await client.request('q', { p: '/a', h: '' })
    client.take()
    await client.request('auth', { cred: tokenOf('bob') })
    expect(client.take()).toEqual(['c /a', 'answer 3 ok'])
  })

  test.each([
    ['expired', tokenOf('ann', { exp: nowInSeconds() - 10 }), 'expired_token'],
    ['forged', customToken('another secret of the tests', { v: 1, iat: nowInSeconds(), uid: 'ann' }), 'invalid_token'],
    ['no token', 'nonsense', 'invalid_token'],
  ])('that is %s is refused, and nobody is signed in', async (_, cred, expected) => {
    await begin(rules, { a: 1 })
    await using client = await SdkClient.connect(server)
    await client.request('auth', { cred: tokenOf('ann') })
    expect((await client.request('auth', { cred })).status).toBe(expected)
    expect((await client.request('g', { p: '/a', q: {} })).status).toBe('permission_denied')
  })

  test('of an admin may be another user by the rules', async () => {
    await begin(rules, { a: 1 })
    await using client = await SdkClient.connect(server)
    await client.request('gauth', { cred: SECRET, authvar: { uid: 'ann' } })
    expect((await client.request('g', { p: '/a', q: {} })).status).toBe('ok')
    await client.request('gauth', { cred: SECRET, noauth: true })
    expect((await client.request('g', { p: '/a', q: {} })).status).toBe('permission_denied')
    const refused = await client.request('auth', { cred: tokenOf('bob'), authvar: { uid: 'ann' } })
    expect(refused.status).toBe('permission_denied')
  })

  test('that expires is told once, and nothing after it', async () => {
    await begin(rules, { a: 1 })
    await using client = await SdkClient.connect(server)
    await client.request('auth', { cred: tokenOf('ann', { exp: nowInSeconds() + 1 }) })
    await client.request('q', { p: '/a', h: '' })
    expect(await client.first(4)).toEqual(['answer 1 ok', 'd /a 1', 'answer 2 ok', 'ac expired_token'])
    await server.call('PUT', `/a.json?${admin}`, { body: '2' })
    expect((await client.request('g', { p: '/a', q: {} })).status).toBe('expired_token')
    expect(client.received.length).toBe(5)
  })
})
