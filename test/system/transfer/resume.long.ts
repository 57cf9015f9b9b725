import '../../support/long-lane.ts'
import { expect, test } from 'bun:test'
import { existsSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { spawnServer } from '../../support/server-process.ts'
import { tempDir } from '../../support/temp-dir.ts'
import { dhole, MAIN } from '../cli/dhole.ts'

const RECORDS = 60_000
const LEAST_KILLS = 3

/** Some thirty megabytes: several notes of how far it has come, and priorities that wait for the end. */
function longText(): string {
  const posts = (from: number) =>
    Array.from(
      { length: RECORDS / 2 },
      (_, index) => `"k${from + index}":{"n":${index},"text":"${'lorem '.repeat(80)}"}`,
    )
  return `{"posts":{".priority":7,${posts(0).join(',\n')},"inner":{${posts(1_000_000).join(',')},".priority":"late"}},"a":[1,2]}`
}

const FILES: [string, (text: string) => string | Uint8Array<ArrayBuffer>][] = [
  ['a packed file', (text) => gzipSync(text)],
  ['a file', (text) => text],
]

test.each(FILES)('an import of %s that is killed at any moments goes on to the same tree', async (_, packed) => {
  await using dir = await tempDir()
  const DATA_DIR = dir.file('data')
  const server = await spawnServer({ DATA_DIR })
  server.kill('SIGTERM')
  await server.exited
  const file = dir.file('long.json')
  const note = `${file}.import-state`
  const text = longText()
  writeFileSync(file, packed(text))
  const command = [process.execPath, MAIN, 'import', file, '--resume', '--data-dir', DATA_DIR]
  let kills = 0
  let offset = -1
  for (let isDone = false; !isDone; ) {
    const child = Bun.spawn(command, { env: { PATH: process.env['PATH'] ?? '' }, stdout: 'ignore', stderr: 'pipe' })
    const ended = child.exited
    let hasEnded = false
    void ended.then(() => {
      hasEnded = true
    })
    // It is killed some way into its work: as soon as it has noted more than the one before.
    while (!hasEnded && kills < LEAST_KILLS && !(offsetIn(note) > offset)) await Bun.sleep(1)
    if (!hasEnded && kills < LEAST_KILLS) {
      offset = offsetIn(note)
      child.kill('SIGKILL')
      kills++
      await ended
      continue
    }
    const [status, err] = await Promise.all([ended, child.stderr.text()])
    expect(`${status} ${err}`).toBe('0 ')
    isDone = true
  }
  expect(kills).toBe(LEAST_KILLS)
  expect(offset).toBeGreaterThan(0)
  expect(existsSync(note)).toBe(false)
  const { out } = await dhole(['export', '--data-dir', DATA_DIR])
  const { posts } = JSON.parse(text) as { posts: object }
  expect(JSON.parse(out)).toEqual({ a: { 0: 1, 1: 2 }, posts })
})

/** How far a note says that it has come, -1 without one. */
function offsetIn(note: string): number {
  try {
    return (JSON.parse(readFileSync(note, 'utf8')) as { offset: number }).offset
  } catch {
    return -1
  }
}

test('a broken file leaves nothing to go on with', async () => {
  await using dir = await tempDir()
  await using _server = await spawnServer({ DATA_DIR: dir.file('data') })
  const packed = gzipSync(JSON.stringify({ a: 'x'.repeat(1000) }))
  const broken = { 'a.json': '{"a":', 'b.json': '{"a":1,"b.c":2}', 'c.json.gz': packed.subarray(0, -9) }
  for (const [name, content] of Object.entries(broken)) {
    const file = dir.file(name)
    writeFileSync(file, content)
    for (const more of [[], ['--resume']]) {
      const { status, err } = await dhole(['import', file, '--data-dir', dir.file('data'), ...more])
      expect([name, status, err.trimEnd().split('\n').length]).toEqual([name, 1, 1])
      expect(err).not.toContain('--resume')
      expect(existsSync(`${file}.import-state`)).toBe(false)
    }
  }
})

test('nobody goes on with another file, into another place, or into a tree that was restored', async () => {
  await using dir = await tempDir()
  await using _server = await spawnServer({ DATA_DIR: dir.file('data') })
  const file = dir.file('a.json')
  const noteFile = `${file}.import-state`
  const members = Array.from({ length: 200_000 }, (_, at) => `"k${at}":"${'x'.repeat(100)}"`)
  writeFileSync(file, `{${members.join()}}`)
  const run = (...more: string[]) => dhole(['import', file, '--data-dir', dir.file('data'), '--resume', ...more])
  const killed = Bun.spawn([process.execPath, MAIN, 'import', file, '--data-dir', dir.file('data')], {
    stdout: 'ignore',
    stderr: 'ignore',
  })
  while (!existsSync(noteFile)) await Bun.sleep(1)
  killed.kill('SIGKILL')
  await killed.exited
  const note = readFileSync(`${file}.import-state`, 'utf8')
  expect((await run('--path', '/b')).err).toContain('is about an import into / of application app')
  expect((await run('--merge')).err).toContain('is about an import into')
  writeFileSync(`${file}.import-state`, note.replace(/"epoch":"[^"]*"/, '"epoch":"another"'))
  expect((await run()).err).toContain('the tree was restored since')
  writeFileSync(`${file}.import-state`, note)
  utimesSync(file, 1, 1)
  expect((await run()).err).toContain('is about another file of that name')
  writeFileSync(`${file}.import-state`, '{')
  expect((await run()).err).toContain('says nothing of an import')
  writeFileSync(file, '{"a":1}')
  expect((await dhole(['import', file, '--data-dir', dir.file('data')])).status).toBe(0)
  expect(existsSync(`${file}.import-state`)).toBe(false)
})
