import '../../support/long-lane.ts'
import { Database as Client } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { copyFileSync, existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { openDatabase } from '../../../src/embedded.ts'
import { startChild } from '../../support/child-server.ts'
import { SECRET } from '../../support/https-server.ts'
import { tempDir } from '../../support/temp-dir.ts'

const SCRIPT = Bun.fileURLToPath(new URL('./replace-child.ts', import.meta.url))
/** More calls than a replacement makes. */
const MOST_CALLS = 60

/** A tree whose last write is only in its log, as a killed server leaves it, and another one that is closed. */
async function twoTrees(folder: string): Promise<{ readonly old: string; readonly young: string }> {
  await using server = await startChild({ dataDir: folder, applications: { app: { open: true, secret: SECRET } } })
  await server.call('PUT', '/.json', { body: '{"tree":"old"}' })
  await server.kill()
  const young = join(folder, 'young.sqlite')
  await using db = openDatabase({ file: young })
  await db.put('/', { tree: 'young' })
  return { old: join(folder, 'apps', 'app.sqlite'), young }
}

const ways = [
  ['keeping the old tree', true],
  ['discarding the old tree', false],
] as const

describe.each(ways)('%s', (_, keeps) => {
  test('power lost before any of the calls leaves the old tree or the new one, whole', async () => {
    await using dir = await tempDir()
    const { old, young } = await twoTrees(dir.path)
    let wasNew = false
    for (let calls = 0; ; calls++) {
      if (calls === MOST_CALLS) throw new Error('the replacement never came to its end')
      await using round = await tempDir()
      const file = round.file('app.sqlite')
      for (const suffix of ['', '-wal']) copyFileSync(old + suffix, file + suffix)
      copyFileSync(young, round.file('staged'))
      const kept = keeps ? round.file('kept.sqlite') : '-'
      const child = Bun.spawn([process.execPath, SCRIPT, file, round.file('staged'), kept, String(calls)], {
        stdout: 'pipe',
        stderr: 'inherit',
      })
      const printed = await child.stdout.text()
      await child.exited
      const isDone = printed === 'done'
      expect(child.signalCode).toBe(isDone ? null : 'SIGKILL')

      const isNew = await holds(file, 'young')
      if (!isNew) expect(await holds(file, 'old')).toBe(true)
      // Once it is the new one at some moment, it is so at every later one.
      if (wasNew) expect(isNew).toBe(true)
      wasNew = isNew
      expect(existsSync(`${file}-restore`)).toBe(false)
      if (isNew) {
        expect(existsSync(kept)).toBe(keeps)
        if (keeps) expect(await holds(kept, 'old')).toBe(true)
        expect(readdirSync(round.path)).not.toContain('staged')
      }
      if (isDone) break
    }
    expect(wasNew).toBe(true)
  })
})

test('a log that cannot be folded in, because somebody reads, goes with its tree', async () => {
  await using dir = await tempDir()
  const { old, young } = await twoTrees(dir.path)
  const staged = join(dir.path, 'apps', 'staged')
  copyFileSync(young, staged)
  const reader = new Client(old, { readonly: true })
  reader.run('BEGIN')
  reader.query('SELECT count(*) FROM node').get()
  const child = Bun.spawn([process.execPath, SCRIPT, old, staged, `${old}-kept`, '1000'], { stderr: 'inherit' })
  expect(await child.exited).toBe(0)
  expect(existsSync(`${old}-wal`)).toBe(false)
  expect(statSync(`${old}-kept-wal`).size).toBeGreaterThan(0)
  reader.close()
  expect(await holds(old, 'young')).toBe(true)
  expect(await holds(`${old}-kept`, 'old')).toBe(true)
})

/** Whether a tree is the one of that name; opening it ends what was interrupted. */
async function holds(file: string, tree: string): Promise<boolean> {
  await using db = openDatabase({ file })
  const found = await db.get('/')
  expect([{ tree: 'old' }, { tree: 'young' }]).toContainEqual(found as { tree: string })
  return (found as { tree: string }).tree === tree
}
