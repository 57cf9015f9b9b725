import { afterAll, expect, setSystemTime, test } from 'bun:test'
import { SECRET, startInProcess } from '../../support/https-server.ts'
import { someInLanes } from '../../support/lane.ts'
import { serviceAccount, signedByAccount, ticketPayload } from '../../support/service-account.ts'
import { customToken, nowInSeconds } from '../../support/token.ts'
import { withServer } from '../../support/with-server.ts'
import { ENDED, openSession, RULES, runProgram, TWO_USERS } from './program.ts'

const account = serviceAccount()
const server = withServer(() =>
  startInProcess({ applications: { app: { secret: SECRET, rules: RULES, serviceAccount: account.publicKey } } }),
)

const ann = () => customToken(SECRET, { uid: 'ann', claims: { role: 'editor' } })
/** As the backend of an application makes it that was written for Firebase. */
const bob = () => signedByAccount(ticketPayload({ uid: 'bob' }), account)

test.each(someInLanes(['emulator', 'config'], 2))('users write what rules let them write, told by %s', async (way) => {
  expect(await runProgram(server, 'users', { ann: ann(), bob: bob() }, way)).toEqual(TWO_USERS)
})

/** Puts the clock of the server, which is that of this process, forward. Its authenticators never go back. */
function passSeconds(seconds: number): void {
  setSystemTime(new Date(Date.now() + seconds * 1000))
}

afterAll(() => {
  setSystemTime()
})

test('a listen goes on while tokens are replaced, and ends with the sign-out', async () => {
  using session = await openSession(server, { ann: ann() })
  for (const command of ['in ann', 'listen', 'write a']) session.say(command)
  await session.until({ write: 'allowed' })
  passSeconds(50 * 60)
  for (const command of ['refresh', 'write b']) session.say(command)
  const [refreshed, ...seen] = await session.until({ write: 'allowed' })
  expect(refreshed).toEqual({ refresh: new Date(Math.floor(Date.now() / 1000) * 1000).toUTCString() })
  expect(seen).toEqual([{ value: 'b' }, { write: 'allowed' }])
  passSeconds(50 * 60)
  session.say('write c')
  expect(await session.until({ write: 'allowed' })).toEqual([{ value: 'c' }, { write: 'allowed' }])
  session.say('out')
  expect(await session.until({ ended: ENDED })).toContainEqual({ user: null })
})

test('a token that expires is replaced, and listens go on', async () => {
  using session = await openSession(server, { ann: ann() })
  session.say('in ann')
  await session.until({ in: 'ann' })
  passSeconds(3599)
  for (const command of ['listen', 'write a']) session.say(command)
  await session.until({ write: 'allowed' })
  passSeconds(60)
  await session.until({ connected: false })
  session.say('write b')
  const told = await session.until({ write: 'allowed' })
  expect(told).toContainEqual({ value: 'b' })
  expect(told).not.toContainEqual({ ended: ENDED })
  expect(await server.call('GET', `/users/ann.json?auth=${SECRET}`)).toMatchObject({ text: '"b"' })
})

test('a sign-in ends with its custom token', async () => {
  const short = customToken(SECRET, { uid: 'ann', exp: nowInSeconds() + 2 })
  using session = await openSession(server, { ann: short })
  for (const command of ['in ann', 'listen']) session.say(command)
  await session.until({ connected: true })
  passSeconds(2)
  await session.until({ user: null })
  await session.until({ ended: ENDED })
})

test('applications are told why a sign-in fails', async () => {
  const expired = customToken(SECRET, { uid: 'ann', exp: nowInSeconds() - 1 })
  expect(
    await runProgram(server, 'refused', { wrong: customToken('another secret', { uid: 'ann' }), expired }),
  ).toEqual({
    token: {
      code: 'auth/invalid-custom-token',
      message: expect.stringContaining('its signature is not of the super secret of this application'),
    },
    expired: { code: 'auth/invalid-custom-token', message: expect.stringContaining('It has expired') },
    password: { code: 'auth/operation-not-allowed', message: expect.stringContaining('call signInWithCustomToken()') },
  })
})
