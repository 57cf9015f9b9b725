import '../../support/long-lane.ts'
import { expect, test } from 'bun:test'
import { SdkClient } from '../../support/sdk-client.ts'
import { clientOfProcess, spawnServer } from '../../support/server-process.ts'
import { tempDir } from '../../support/temp-dir.ts'
import { SdkProcess } from './runner/sdk-process.ts'
import { CURRENT } from './runner/sdk-versions.ts'
import { KILLS } from './scenarios/kills.ts'

/** Loopback without rules is open, so no secret is needed. */
function targetOf({ url, certificate }: { readonly url: string; readonly certificate: string }) {
  const named = url.replace('127.0.0.1', 'localhost')
  return { databaseUrls: [`${named}/?ns=app`], url: named, certificate, secret: '' }
}

test('a client that is killed is written as gone', async () => {
  await using dir = await tempDir()
  await using server = await spawnServer()
  await using watcher = await SdkClient.connect(await clientOfProcess(server))
  await watcher.request('q', { p: '/online/ann', h: '' })
  watcher.take()
  await using child = await SdkProcess.start(CURRENT, 'node', targetOf(server), { dir: dir.path })
  const here = Promise.withResolvers<string>()
  child.run('a client is killed', 'online/ann', here.resolve).catch(() => {})
  expect(await here.promise).toBe('here')
  await child.kill()
  expect(await watcher.first(2)).toEqual(['d /online/ann "here"', 'd /online/ann "gone"'])
})

test('clients of a server that is killed come back by themselves, and nothing is lost or told twice', async () => {
  await using dir = await tempDir()
  const killed = await spawnServer({ DATA_DIR: dir.file('data') })
  await using child = await SdkProcess.start(CURRENT, 'node', targetOf(killed), { dir: dir.path })
  const now = Promise.withResolvers<string>()
  const done = child.run('the server is killed', '', now.resolve)
  await now.promise
  killed.kill('SIGKILL')
  await killed.exited
  await using _ = await spawnServer({ DATA_DIR: dir.file('data'), PORT: new URL(killed.url).port })
  expect(await done).toEqual(KILLS['the server is killed']?.expected)
})
