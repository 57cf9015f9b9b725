import '../../support/long-lane.ts'
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { keptKeys } from '../../support/dhole-command.ts'
import { longRuns } from '../../support/lane.ts'
import { clientOfProcess, spawnServer } from '../../support/server-process.ts'
import { tempDir } from '../../support/temp-dir.ts'

const MAIN = Bun.fileURLToPath(new URL('../../../src/cli/main.ts', import.meta.url))
const KILLS = longRuns(16)
/** About as long as a start takes: certificate, keys, tables, listener. */
const MOST_START_MS = 900

/** Starts a server, kills it after a time and returns what it had printed. */
async function startAndKill(dataDir: string, afterMs: number): Promise<string> {
  const child = Bun.spawn([process.execPath, MAIN, 'serve'], {
    env: { PATH: process.env['PATH'] ?? '', PORT: '0', DATA_DIR: dataDir },
    stdout: 'pipe',
    stderr: 'ignore',
  })
  const timer = setTimeout(() => child.kill('SIGKILL'), afterMs)
  const printed = await child.stdout.text()
  await child.exited
  clearTimeout(timer)
  return printed
}

/** What the files hold that a start says it has made keys in. */
function keysIn(printed: string): Promise<readonly string[]> {
  const files = [...printed.matchAll(/it is kept in ([^"\n]+)"/g)].map(([, file = '']) => file)
  return Promise.all(files.map(async (file) => (await Bun.file(file).text()).trim()))
}

test('a server that is killed amid its first start has kept every key it has spoken of, and starts the next time', async () => {
  await using dir = await tempDir()
  const dataDir = dir.file('data')
  const moments = Array.from({ length: KILLS }, () => Math.floor(Math.random() * MOST_START_MS)).sort((a, b) => a - b)
  const kept: string[] = []
  for (const moment of moments) kept.push(...(await keysIn(await startAndKill(dataDir, moment))))
  await using server = await spawnServer({ DATA_DIR: dataDir }, { makesCertificate: true })
  kept.push(...(await keysIn(server.output())))
  const { secret, smsKey } = await keptKeys(dataDir)
  const operator = (await Bun.file(join(dataDir, 'operator.secret')).text()).trim()
  // A start that was killed before it spoke of a key has kept it all the same.
  expect([moments, [secret, smsKey, operator]]).toEqual([moments, expect.arrayContaining(kept)])
  const { call } = await clientOfProcess(server)
  expect([moments, (await call('PUT', '/a.json', { body: '1' })).status]).toEqual([moments, 200])
  expect((await call('GET', '/a.json')).text).toBe('1')
}, 300_000)
