import { describe, expect, test } from 'bun:test'
import { Authenticator } from '../../../src/auth/authenticator.ts'
import { FailedAttempts } from '../../../src/auth/failed-attempts.ts'
import { mintToken } from '../../../src/auth/mint.ts'
import { runDhole } from '../../support/dhole-command.ts'
import { tempDir } from '../../support/temp-dir.ts'
import { failureOf, NOWHERE, payloadOf, SECRET } from '../../unit/auth/hand-made.ts'

const subject = () => new Authenticator({ application: 'zoo', secret: SECRET, failedAttempts: new FailedAttempts(0) })

test.each([
  [{ uid: 'ann' }, { v: 1, uid: 'ann' }],
  [
    { uid: 'ann', claims: { role: 'keeper' } },
    { v: 1, uid: 'ann', claims: { role: 'keeper' } },
  ],
  [
    { uid: 'ann', admin: true, debug: true },
    { v: 1, uid: 'ann', admin: true, debug: true },
  ],
  [
    { uid: 'ann', admin: false, debug: false },
    { v: 1, uid: 'ann' },
  ],
  [{ admin: true }, { v: 1, admin: true }],
])('a token is made of %j', async (options, said) => {
  const text = await mintToken(SECRET, options)
  const { iat, ...others } = payloadOf(text)
  expect(others).toEqual(said)
  expect(iat).toBeInteger()
  expect(await subject().authenticate(text, NOWHERE)).toMatchObject({ kind: 'admin' in said ? 'admin' : 'user' })
})

test('a token ends so many seconds after it was made', async () => {
  const { iat, exp } = payloadOf(await mintToken(SECRET, { uid: 'ann', expiresIn: 90 }))
  expect(exp).toBe((iat as number) + 90)
})

test('claims are left as they were', async () => {
  const claims = { deep: { list: [1] } }
  await mintToken(SECRET, { uid: 'ann', claims })
  claims.deep.list.push(2)
  expect(claims).toEqual({ deep: { list: [1, 2] } })
})

test.each([
  ['no user', {}, 'token-payload'],
  ['a bad user', { uid: 'a b' }, 'token-payload'],
  ['a long user', { uid: 'a'.repeat(65) }, 'token-payload'],
  ['long claims', { uid: 'ann', claims: { text: 'x'.repeat(16_384) } }, 'token-payload'],
])('no token is made that no authenticator would take: %s', async (_, options, code) => {
  expect(await failureOf(() => mintToken(SECRET, options))).toBe(code)
})

test.each([0, -1, 0.5, Number.NaN, Number.POSITIVE_INFINITY])('no token lives for %p seconds', async (expiresIn) => {
  await expect(mintToken(SECRET, { uid: 'ann', expiresIn })).rejects.toThrow(RangeError)
})

test('no token is signed with nothing', async () => {
  await expect(mintToken('', { uid: 'ann' })).rejects.toThrow(TypeError)
})

describe('dhole token', () => {
  /** Runs the command and returns what it printed and how it ended. */
  async function run(flags: readonly string[], env: Record<string, string> = {}) {
    const { stdout, stderr, status } = await runDhole(['token', ...flags], env)
    return { out: stdout, err: stderr, status }
  }

  test('prints a token and nothing else', async () => {
    const claims = '{"role":"keeper"}'
    const flags = ['--uid', 'ann', '--claims', claims, '--expires-in', '90', '--debug', '--secret', SECRET]
    const { out, err, status } = await run(flags)
    expect({ err, status }).toEqual({ err: '', status: 0 })
    expect(out).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+\n$/)
    expect(payloadOf(out)).toMatchObject({ v: 1, uid: 'ann', claims: { role: 'keeper' }, debug: true })
    expect(await subject().authenticate(out.trim(), NOWHERE)).toMatchObject({ kind: 'user' })
  })

  test('takes the secret from the environment, or of an application', async () => {
    await using folder = await tempDir()
    await Bun.write(folder.file('secrets/zoo.secret'), `${SECRET}\n`)
    const fromEnvironment = await run(['--admin'], { APP_SECRET: SECRET })
    const elsewhere = { APP_SECRET: 'the secret of another application', DATA_DIR: folder.path }
    const fromFile = await run(['--admin', '--app', 'zoo'], elsewhere)
    const fromFlag = await run(['--admin', '--secret', SECRET], elsewhere)
    const fromFolder = await run(['--admin', '--app', 'zoo', '--data-dir', folder.path])
    for (const { out } of [fromEnvironment, fromFile, fromFlag, fromFolder]) {
      expect(await subject().authenticate(out.trim(), NOWHERE)).toMatchObject({ kind: 'admin' })
    }
  })

  test.each([
    ['no secret', ['--uid', 'ann'], 'no secret'],
    ['two secrets', ['--uid', 'ann', '--secret', SECRET, '--app', 'zoo'], 'give one'],
    ['a path for an application', ['--uid', 'ann', '--app', '../zoo'], 'no name of an application'],
    ['an application without a secret', ['--uid', 'ann', '--app', 'farm'], 'farm.secret'],
    ['no user', ['--secret', SECRET], '--uid'],
    ['a bad user', ['--secret', SECRET, '--uid', 'a b'], '--uid'],
    ['claims that are no JSON', ['--secret', SECRET, '--uid', 'ann', '--claims', '{'], '--claims'],
    ['claims that are no object', ['--secret', SECRET, '--uid', 'ann', '--claims', '[]'], '--claims'],
    ['no time', ['--secret', SECRET, '--uid', 'ann', '--expires-in', '0'], '--expires-in'],
    ['a time in words', ['--secret', SECRET, '--uid', 'ann', '--expires-in', 'an hour'], '--expires-in'],
  ])('says what is wrong and keeps the secret quiet: %s', async (_, flags, text) => {
    const { out, err, status } = await run(flags)
    expect({ out, status }).toEqual({ out: '', status: 2 })
    expect(err).toContain(text)
    expect(err).not.toContain(SECRET)
  })
})
