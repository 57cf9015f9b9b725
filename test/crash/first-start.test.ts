import { expect, test } from 'bun:test'
import { clientOfProcess } from '../apps/clients.ts'
import { shownKeys } from '../support/dhole-command.ts'
import { startServer } from '../support/server-process.ts'
import { tempDir } from '../support/temp-dir.ts'

const MAIN = Bun.fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url))
const KILLS = 8
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

test('a server that is killed amid its first start has kept every key it has shown, and starts the next time', async () => {
  await using dir = await tempDir()
  const dataDir = dir.file('data')
  const moments = Array.from({ length: KILLS }, () => Math.floor(Math.random() * MOST_START_MS)).sort((a, b) => a - b)
  const shown: string[] = []
  for (const moment of moments) shown.push(...shownKeys(await startAndKill(dataDir, moment)))
  const server = await startServer({ DATA_DIR: dataDir })
  try {
    shown.push(...shownKeys(server.output()))
    const names = ['app.secret', 'app.sms']
    const kept = await Promise.all(names.map((name) => Bun.file(`${dataDir}/secrets/${name}`).text()))
    expect([moments, kept.map((text) => text.trim())]).toEqual([moments, expect.arrayContaining(shown)])
    const { call } = await clientOfProcess(server)
    expect([moments, (await call('PUT', '/a.json', { body: '1' })).status]).toEqual([moments, 200])
    expect((await call('GET', '/a.json')).text).toBe('1')
  } finally {
    await server.stop()
  }
}, 300_000)
