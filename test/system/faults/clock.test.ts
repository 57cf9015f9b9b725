import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { longTest } from '../../support/lane.ts'
import { type ServerProcess, spawnServer } from '../../support/server-process.ts'
import { type TempDir, tempDir } from '../../support/temp-dir.ts'
import { customToken, nowInSeconds } from '../../support/token.ts'

const HOUR_MS = 60 * 60 * 1000
const PRELOAD = Bun.fileURLToPath(new URL('../../support/clock-preload.ts', import.meta.url))
const SECRET = 'a secret of the clock tests'

/** Puts the clock of every server of this folder off. */
function putOff(dir: TempDir, milliseconds: number): void {
  writeFileSync(dir.file('clock'), String(milliseconds))
}

function start(dir: TempDir, settings: Readonly<Record<string, string>> = {}): Promise<ServerProcess> {
  const common = { DATA_DIR: dir.file('data'), CLOCK_OFF: dir.file('clock'), APP_SECRET: SECRET }
  return spawnServer({ ...common, ...settings }, { runtime: [`--preload=${PRELOAD}`] })
}

async function call({ url }: ServerProcess, method: string, path: string, body?: string): Promise<Response> {
  const init = { method, tls: { rejectUnauthorized: false }, ...(body === undefined ? {} : { body }) }
  return fetch(url + path, init)
}

/** Name that the server gives to a new child. */
async function post(server: ServerProcess): Promise<string> {
  return ((await (await call(server, 'POST', '/list.json', '1')).json()) as { name: string }).name
}

/** What the server takes for the time of a write. */
async function stamp(server: ServerProcess): Promise<number> {
  return (await (await call(server, 'PUT', '/at.json', '{".sv": "timestamp"}')).json()) as number
}

test('names of children and times of commits never go back, over restarts too', async () => {
  await using dir = await tempDir()
  const names: string[] = []
  const times: number[] = []
  const note = async (server: ServerProcess): Promise<void> => {
    for (let turn = 0; turn < 5; turn++) {
      names.push(await post(server))
      times.push(await stamp(server))
    }
  }
  putOff(dir, 0)
  const first = await start(dir)
  await note(first)
  putOff(dir, -HOUR_MS)
  await note(first)
  first.kill('SIGKILL')
  await first.exited
  const second = await start(dir)
  await note(second)
  putOff(dir, -48 * HOUR_MS)
  await note(second)
  putOff(dir, HOUR_MS)
  await note(second)
  second.kill('SIGTERM')
  await second.exited
  putOff(dir, 0)
  const third = await start(dir)
  await note(third)
  expect(names).toEqual([...names].sort())
  expect(new Set(names).size).toBe(30)
  expect(times).toEqual([...times].sort((left, right) => left - right))
  expect(Object.keys((await (await call(third, 'GET', '/list.json')).json()) as object)).toEqual(names)
  await third.stop()
})

test('a token that has expired stays so when the clock goes back, and a good one stays good', async () => {
  await using dir = await tempDir()
  putOff(dir, 0)
  const server = await start(dir)
  const token = customToken(SECRET, { uid: 'ann', exp: nowInSeconds() + 3600 })
  const longer = customToken(SECRET, { uid: 'ann', exp: nowInSeconds() + 24 * 3600 })
  const status = async (shown: string) => (await call(server, 'GET', `/a.json?auth=${shown}`)).status
  expect([await status(token), await status(longer)]).toEqual([200, 200])
  putOff(dir, 2 * HOUR_MS)
  expect([await status(token), await status(longer)]).toEqual([401, 200])
  putOff(dir, -HOUR_MS)
  expect([await status(token), await status(longer)]).toEqual([401, 200])
  // One that this server has never seen: it has not been issued yet by its clock, but by the latest time it knows.
  expect(await status(customToken(SECRET, { uid: 'ben', exp: nowInSeconds() + 24 * 3600 }))).toBe(200)
  await server.stop()
})

longTest('a server that knows no better refuses tokens of the future, but for a few seconds', async () => {
  await using dir = await tempDir()
  putOff(dir, -HOUR_MS)
  const server = await start(dir)
  const status = async (iat: number) =>
    (await call(server, 'GET', `/a.json?auth=${customToken(SECRET, { uid: 'ann', iat })}`)).status
  expect(await status(nowInSeconds())).toBe(401)
  expect(await status(nowInSeconds() - 3600)).toBe(200)
  putOff(dir, 0)
  expect(await status(nowInSeconds() + 3)).toBe(200)
  expect(await status(nowInSeconds() + 60)).toBe(401)
  await server.stop()
})

longTest('nobody is locked out by a clock that goes back', async () => {
  await using dir = await tempDir()
  putOff(dir, 0)
  const server = await start(dir, { FAILED_CREDENTIALS: '2' })
  const status = async (secret: string) => (await call(server, 'GET', `/a.json?auth=${secret}`)).status
  const wrong = (subject: string) => customToken('another secret than this', { uid: subject })
  const shown = [wrong('a'), wrong('b'), wrong('c'), SECRET]
  const statuses: number[] = []
  for (const secret of shown) statuses.push(await status(secret))
  expect(statuses).toEqual([401, 401, 429, 200])
  putOff(dir, -HOUR_MS)
  expect(await status(SECRET)).toBe(200)
  await server.stop()
})
