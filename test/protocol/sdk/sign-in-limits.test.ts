import { expect, test } from 'bun:test'
import { SECRET, startInProcess } from '../../support/https-server.ts'
import { customToken } from '../../support/token.ts'

const OTHER_SECRET = 'a secret of another application'
const SIGN_IN = '/identitytoolkit.googleapis.com/v1/accounts:signInWithCustomToken'
const LOOKUP = '/identitytoolkit.googleapis.com/v1/accounts:lookup'
const TOKEN = '/securetoken.googleapis.com/v1/token'

const applications = { app: { secret: SECRET } }
const right = () => customToken(SECRET, { uid: 'ann' })

test('a server that cannot answer now does not sign users out', async () => {
  await using calm = await startInProcess({ applications, clients: { ratePerAddress: 1 } })
  const attempt = () => calm.call('POST', SIGN_IN, { body: JSON.stringify({ token: right() }) })
  const [, , third] = [await attempt(), await attempt(), await attempt()]
  expect(third.status).toBe(429)
  expect(JSON.parse(third.text).error.message).toStartWith('NETWORK_REQUEST_FAILED : ')
})

test('wrong tokens are counted, and right ones go through', async () => {
  await using limited = await startInProcess({ applications, failedCredentials: 2 })
  const attempt = (path: string, body: string) => limited.call('POST', path, { body })
  const wrong = JSON.stringify({ token: customToken(OTHER_SECRET, { uid: 'ann' }) })
  expect((await attempt(SIGN_IN, wrong)).status).toBe(400)
  expect((await attempt(TOKEN, `refresh_token=${customToken(OTHER_SECRET, {})}`)).status).toBe(400)
  const third = await attempt(LOOKUP, JSON.stringify({ idToken: customToken(OTHER_SECRET, { uid: 'ann' }) }))
  expect(third.status).toBe(429)
  expect(third.headers.get('retry-after')).toBe('60')
  expect(JSON.parse(third.text).error.message).toStartWith('TOO_MANY_ATTEMPTS_TRY_LATER : ')
  expect((await attempt(SIGN_IN, JSON.stringify({ token: right() }))).status).toBe(200)
})
