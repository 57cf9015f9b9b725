import { afterAll, beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { runDhole } from '../../support/dhole-command.ts'
import { type ServerProcess, spawnServer } from '../../support/server-process.ts'
import { serviceAccount, signedByAccount, ticketPayload, unsignedToken } from '../../support/service-account.ts'
import { type TempDir, tempDir } from '../../support/temp-dir.ts'
import { ENDED, openSession, RULES, runProgram, TWO_USERS } from './program.ts'

const account = serviceAccount()
const ANN = ticketPayload({ claims: { role: 'editor' } })
let folder: TempDir
let server: ServerProcess
let plain: string

beforeAll(async () => {
  folder = await tempDir()
  const [rules, key] = [join(folder.path, 'rules.json'), join(folder.path, 'service-account.json')]
  await Bun.write(rules, RULES)
  const privateKey = account.privateKey.export({ type: 'pkcs8', format: 'pem' })
  await Bun.write(key, JSON.stringify({ type: 'service_account', private_key: privateKey }))
  server = await spawnServer({ DEVELOPMENT: 'true', HTTP_PORT: '0', RULES: rules, SERVICE_ACCOUNT_FILE: key })
  plain = /plain HTTP on (http:\S+)"/.exec(server.output())?.[1]?.replace('127.0.0.1', 'localhost') ?? ''
})

afterAll(async () => {
  await server.stop()
  await folder[Symbol.asyncDispose]()
})

const ca = () => Bun.file(server.certificate).text()

test('users sign in without TLS with the tokens of an emulator and of a service account', async () => {
  const tokens = { ann: unsignedToken(ANN), bob: signedByAccount(ticketPayload({ uid: 'bob' }), account) }
  expect(await runProgram({ url: plain, ca: await ca() }, 'users', tokens)).toEqual(TWO_USERS)
})

test('a new secret signs users out', async () => {
  using session = await openSession({ url: plain, ca: await ca() }, { ann: unsignedToken(ANN) })
  for (const command of ['in ann', 'listen', 'write a']) session.say(command)
  await session.until({ write: 'allowed' })
  const { status } = await runDhole(['apps', 'rotate', 'app', '--yes', '--data-dir', server.dataDir])
  expect(status).toBe(0)
  await session.until({ user: null })
  await session.until({ ended: ENDED })
})

test('pages of other sites cannot use tokens that are not signed', async () => {
  const path = '/identitytoolkit.googleapis.com/v1/accounts:signInWithCustomToken'
  const attempt = (origin: string, token: string) =>
    fetch(plain + path, { method: 'POST', body: JSON.stringify({ token }), headers: { Origin: origin } })
  expect((await attempt('http://localhost:5173', unsignedToken(ANN))).status).toBe(200)
  expect((await attempt('https://page.example.org', unsignedToken(ANN))).status).toBe(403)
  expect((await attempt('https://page.example.org', signedByAccount(ANN, account))).status).toBe(200)
})
