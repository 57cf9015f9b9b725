import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { SdkClient } from '../../support/sdk-client.ts'
import { tempDir } from '../../support/temp-dir.ts'
import { withServer } from '../../support/with-server.ts'

const server = withServer()
const child = join(import.meta.dir, 'child.ts')

/** Runs a scenario with the SDK as it is published. @returns what it prints */
async function run(scenario: string, argument = ''): Promise<unknown> {
  const { stdout, kill } = await start(scenario, argument)
  try {
    return JSON.parse(await new Response(stdout).text())
  } finally {
    kill()
  }
}

async function start(scenario: string, argument = '') {
  const dir = await tempDir()
  const ca = join(dir.path, 'ca.pem')
  await Bun.write(ca, server.ca)
  const command = [process.execPath, child, `${server.url}/?ns=app`, scenario, argument]
  const env = { ...process.env, NODE_EXTRA_CA_CERTS: ca }
  const running = Bun.spawn(command, { env, stdout: 'pipe', stderr: 'inherit', timeout: 50_000 })
  return { stdout: running.stdout, kill: () => running.kill('SIGKILL') }
}

test('values of every kind come back as they were written', async () => {
  const list = [1, 2, 3]
  const rest = { text: 'päivä 狗 🐕', number: 3.5, yes: true, list, deep: { a: { b: 'd' } } }
  expect(await run('values')).toEqual({ rest, isTime: true, priority: 5, isLarge: true })
})

test('a live query tells who enters and who leaves', async () => {
  expect(await run('live')).toEqual(['+b', '+c', '-b', '+d', '-d', '+b'])
})

test('writes made offline arrive in order', async () => {
  expect(await run('offline')).toEqual({ n: 3, w1: true, w2: true, w3: true })
})

test('clients that count together lose nothing', async () => {
  await server.call('DELETE', '/.json')
  expect(await run('transactions', '10')).toEqual({ failed: 0, count: 40 })
})

test('a client that is killed is written as gone', async () => {
  await using watcher = await SdkClient.connect(server)
  await watcher.request('q', { p: '/online/ann', h: '' })
  watcher.take()
  const { stdout, kill } = await start('presence', 'ann')
  await stdout.getReader().read()
  expect(await watcher.first(1)).toEqual(['d /online/ann "here"'])
  kill()
  expect(await watcher.first(2)).toEqual(['d /online/ann "here"', 'd /online/ann "gone"'])
})
