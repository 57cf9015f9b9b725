import { expect, test } from 'bun:test'
import { startServer } from '../support/server-process.ts'

const SECRET = 'never-to-be-seen-in-a-log-7f3a'
const WRONG = 'wrong-credential-to-be-kept-quiet'

test('no log line holds a credential, right or wrong', async () => {
  const server = await startServer({ APP_SECRET: SECRET, LOG_LEVEL: 'debug' })
  const tls = { ca: await Bun.file(server.certificate).text() }
  const ask = async (target: string, init: RequestInit = {}): Promise<number> =>
    (await fetch(`${server.url}${target}`, { ...init, tls } as RequestInit)).status
  const statuses: number[] = []
  for (const credential of [SECRET, WRONG]) {
    statuses.push(
      await ask(`/a.json?auth=${credential}`),
      await ask(`/a.json?access_token=${credential}`),
      await ask('/a.json', { headers: { Authorization: `Bearer ${credential}` } }),
      await ask('/a.json', { headers: { Authorization: `Basic ${credential}` } }),
      await ask(`/a.json?auth=${credential}`, { method: 'PUT', body: '{' }),
      await ask(`/no-suffix?auth=${credential}`),
      await ask(`/a.json?auth=${credential}&print=x`),
      await ask(`/a.json?auth=${credential}`, { method: 'LOCK' }),
    )
  }
  expect(statuses).toEqual([200, 200, 200, 401, 400, 400, 400, 405, 401, 401, 401, 401, 401, 400, 400, 405])
  await server.stop()
  const printed = server.output()
  expect(printed).toContain('listening on')
  expect(printed).not.toContain(SECRET)
  expect(printed).not.toContain(WRONG)
})
