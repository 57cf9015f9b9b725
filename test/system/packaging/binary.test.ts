import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { openSource } from '../../support/event-source.ts'
import { type Answer, SECRET } from '../../support/https-server.ts'
import { clientOfProcess, type ServerProcess, spawnServer } from '../../support/server-process.ts'
import { type TempDir, tempDir } from '../../support/temp-dir.ts'
import { samplesOf } from '../metrics/page.ts'
import { OWNER } from '../metrics/watched-server.ts'

const ROOT = Bun.fileURLToPath(new URL('../../..', import.meta.url))
/** What the one file that may look for others beside it is called. */
const LOCATOR = 'src/files/shipped-file.ts'
const LOOKS_BESIDE = /import\.meta\.(url|dir|dirname|path|filename|resolve)|\bnew Worker\((?!shippedWorker)/

let dir: TempDir
let executable: string
let server: ServerProcess

/** Without any file but the executable, and without Bun on the search path. */
async function start(): Promise<ServerProcess> {
  const cwd = dir.file('empty')
  mkdirSync(cwd, { recursive: true })
  return spawnServer({ PATH: '/usr/bin:/bin', DATA_DIR: dir.file('data'), APP_SECRET: SECRET }, { executable, cwd })
}

async function call(method: string, path: string, body?: string): Promise<Answer> {
  const client = await clientOfProcess(server)
  return client.call(method, path, { headers: OWNER, ...(body === undefined ? {} : { body }) })
}

async function command(...args: readonly string[]): Promise<string> {
  const child = Bun.spawn([executable, ...args], {
    cwd: dir.file('empty'),
    env: { PATH: '/usr/bin:/bin', DATA_DIR: dir.file('data') },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [out, err, status] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  expect([status, err]).toEqual([0, ''])
  return out
}

beforeAll(async () => {
  dir = await tempDir()
  executable = dir.file('dhole')
  const build = Bun.spawn([process.execPath, 'run', 'build:binary', executable], { cwd: ROOT, stderr: 'pipe' })
  const [printed, status] = await Promise.all([build.stderr.text(), build.exited])
  if (status !== 0) throw new Error(printed)
  server = await start()
})

afterAll(async () => {
  await server.stop()
  await dir[Symbol.asyncDispose]()
})

describe('the single executable', () => {
  test('writes, reads and streams', async () => {
    expect((await call('PUT', '/rooms/lobby.json', '{"topic":"Ahoy"}')).status).toBe(200)
    expect((await call('GET', '/rooms/lobby/topic.json')).text).toBe('"Ahoy"')
    const listening = { port: Number(new URL(server.url).port), ca: await Bun.file(server.certificate).text() }
    await using source = await openSource(listening, '/rooms.json', { headers: OWNER })
    expect(await source.next()).toMatchObject({ path: '/', data: { lobby: { topic: 'Ahoy' } } })
    await call('PUT', '/rooms/lobby/topic.json', '"News"')
    expect(await source.next()).toMatchObject({ path: '/lobby/topic', data: 'News' })
  })

  test('serves the same documents as the sources do', async () => {
    const live = join(ROOT, 'src/http/docs/live')
    for (const [path, file] of [
      ['/docs/live.js', 'script.js'],
      ['/docs/live.css', 'style.css'],
    ] as const) {
      expect((await call('GET', path)).text, path).toBe(readFileSync(join(live, file), 'utf8'))
    }
    const page = await call('GET', '/swagger')
    const links = [...page.text.matchAll(/(?:src|href)="(\/swagger\/[^"]+)"/g)].map(([, link = '']) => link)
    expect(links.length).toBeGreaterThan(2)
    for (const link of [...links, '/swagger/json']) {
      const { status, text } = await call('GET', link)
      expect([link, status, text.length > 100]).toEqual([link, 200, true])
    }
  })

  test('serves the console', async () => {
    const page = await call('GET', '/console')
    const files = [...page.text.matchAll(/(?:src|href)="\.(\/console\/assets\/[^"]+)"/g)].map(([, path = '']) => path)
    expect(files).toHaveLength(2)
    for (const path of files) {
      const { status, text } = await call('GET', path)
      expect([path, status, text.length > 1000]).toEqual([path, 200, true])
    }
  })

  test('moves the log into the file beside the writes', async () => {
    const large = JSON.stringify(Array.from({ length: 8 }, () => 'x'.repeat(1024 * 1024)))
    let done = 0
    // The worker starts when 16 MiB wait. A round more each time, in case one is counted before it is done.
    for (let round = 0; done === 0 && round < 20; round++) {
      await call('PUT', '/large.json', large)
      done = samplesOf((await call('GET', '/metrics')).text).get('dhole_checkpoint_seconds_count') ?? 0
    }
    expect(done).toBeGreaterThan(0)
    expect((await call('DELETE', '/large.json')).status).toBe(200)
    expect(server.output()).not.toContain('"level":50')
  })

  test('builds the index of a long list beside the requests', async () => {
    const list = Array.from({ length: 3000 }, (_, index) => [`k${index}`, { h: 3000 - index }])
    await call('PUT', '/list.json', JSON.stringify(Object.fromEntries(list)))
    const answer = await call('GET', '/list.json?orderBy="h"&limitToFirst=1')
    expect(answer.text).toBe('{"k2999":{"h":1}}')
    const built = samplesOf((await call('GET', '/metrics')).text).get('dhole_index_build_seconds_count')
    expect(built).toBe(1)
    expect((await call('DELETE', '/list.json')).status).toBe(200)
  })

  test('copies a tree and examines the copy beside the server', async () => {
    const target = dir.file('backup')
    expect(await command('backup', target)).toContain('nothing wrong with it')
    expect(readdirSync(target).length).toBeGreaterThan(0)
  })

  test('stops on a signal, and what was written is there afterwards', async () => {
    server.kill('SIGTERM')
    expect(await server.exited).toBe(0)
    server = await start()
    expect((await call('GET', '/rooms.json')).text).toBe('{"lobby":{"topic":"News"}}')
  })
})

test('only one file looks for others beside it, because a single executable has none there', async () => {
  const looking: string[] = []
  for (const file of new Bun.Glob('src/**/*.ts').scanSync({ cwd: ROOT })) {
    if (file !== LOCATOR && LOOKS_BESIDE.test(await Bun.file(join(ROOT, file)).text())) looking.push(file)
  }
  // The first asks for files of a dependency by its name, the second tells copies of itself apart.
  expect(looking.toSorted()).toEqual(['src/http/docs/swagger-ui.ts', 'src/store/sqlite/file/open-files.ts'])
})
