import { describe, expect, test } from 'bun:test'
import { whyNoPostgres } from '../../support/postgres/cluster.ts'
import { SdkClient } from '../../support/sdk-client.ts'
import { customToken } from '../../support/token.ts'
import { ENDED, openSession, RULES } from '../sign-in/program.ts'
import { type DatabaseServer, rotated, withTwoServers } from './two-servers.ts'

const SIGN_IN = '/identitytoolkit.googleapis.com/v1/accounts:signInWithCustomToken?key=app'
const TOKEN = '/securetoken.googleapis.com/v1/token?key=app'
const SECRET = 'the-first-secret-of-both-servers'

/** Answer to a refresh. */
async function refresh({ call }: DatabaseServer, token: string) {
  const { status, text } = await call('POST', TOKEN, { body: `grant_type=refresh_token&refresh_token=${token}` })
  return { status, json: JSON.parse(text) }
}

describe.skipIf(whyNoPostgres !== undefined)(whyNoPostgres ?? 'users of two servers', () => {
  const servers = withTwoServers({ APP_SECRET: SECRET, FAILED_CREDENTIALS: '0' })

  test('who has signed in on one is known to both, until the secret is replaced on either', async () => {
    const { one, two } = servers
    await one.call('PUT', `/.settings/rules.json?auth=${SECRET}`, { body: RULES })
    const token = customToken(SECRET, { uid: 'ann' })
    const signedIn = JSON.parse((await one.call('POST', SIGN_IN, { body: JSON.stringify({ token }) })).text)
    const refreshed = await refresh(two, signedIn.refreshToken)
    expect(refreshed).toMatchObject({ status: 200, json: { user_id: 'ann' } })
    const cred = refreshed.json.id_token
    const clients = await Promise.all([one, two].map((server) => SdkClient.connect(server, 'v=5&ns=app')))
    for (const client of clients) {
      expect((await client.request('auth', { cred })).status).toBe('ok')
      expect((await client.request('q', { p: '/users/ann', h: '' })).status).toBe('ok')
      client.take()
    }
    // Who is nobody keeps the connection.
    await using nobody = await SdkClient.connect(two, 'v=5&ns=app')
    using program = await openSession({ ...one, databaseServer: two.url }, { ann: token })
    for (const command of ['in ann', 'listen', 'write a']) program.say(command)
    await program.until({ write: 'allowed' })
    for (const client of clients) expect(await client.first(1)).toEqual(['d /users/ann "a"'])

    const fresh = rotated(await servers.throughOne('apps', 'rotate', 'app', '--yes'))
    for (const client of clients) {
      expect((await client.first(2))[1]).toBe('ac expired_token')
      expect((await client.request('g', { p: '/users/ann', q: {} })).status).toBe('invalid_token')
      expect((await client.request('auth', { cred })).status).toBe('invalid_token')
      await client[Symbol.asyncDispose]()
    }
    for (const server of [one, two]) {
      expect(await refresh(server, signedIn.refreshToken)).toMatchObject({ status: 400 })
      await using late = await SdkClient.connect(server, 'v=5&ns=app')
      expect((await late.request('auth', { cred })).status).toBe('invalid_token')
      expect((await late.request('auth', { cred: customToken(fresh, { uid: 'ann' }) })).status).toBe('ok')
    }
    expect((await nobody.request('s', {})).status).toBe('ok')
    expect(nobody.received).toEqual(['answer 1 ok'])
    await program.until({ user: null })
    await program.until({ ended: ENDED })
  })
})
