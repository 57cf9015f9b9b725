import '../../support/long-lane.ts'
import { Database as Client } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ServerProcess, spawnServer } from '../../support/server-process.ts'
import { tempDir } from '../../support/temp-dir.ts'
import { library, startOnBrokenDisk } from './broken-disk.ts'
import { isDocumented } from './documented.ts'

const UNAVAILABLE = { errcode: 20104, message: 'The app is out of service', error: 'The app is out of service' }
const READY = { status: 200, text: '{"status":"ok"}' }
const UNREADY = { status: 503, text: '{"status":"unavailable","reason":"storage"}' }
/** Of one write that makes the log long: at 64 MiB writes pause until it is moved into the file. */
const LONG = 9 * 1024 * 1024

interface Reply {
  readonly status: number
  readonly text: string
}

async function call({ url }: ServerProcess, method: string, path: string, body?: string): Promise<Reply> {
  const init = { method, tls: { rejectUnauthorized: false }, ...(body === undefined ? {} : { body }) }
  const reply = await fetch(url + path, init)
  return { status: reply.status, text: await reply.text() }
}

/** Writes numbers one after the other until one is not acknowledged. @returns how many were */
async function writeUntilRefused(server: ServerProcess, from: number): Promise<number> {
  for (let number = from; ; number++) {
    const { status } = await call(
      server,
      'PUT',
      `/numbers/n${number}.json?print=silent`,
      `"${number} ${'x'.repeat(2000)}"`,
    )
    if (status !== 204) {
      expect(status).toBe(503)
      return number
    }
  }
}

async function expectNumbers(server: ServerProcess, count: number): Promise<void> {
  const { status, text } = await call(server, 'GET', '/numbers.json?shallow=true')
  expect(status).toBe(200)
  const names = Object.keys(JSON.parse(text) as Record<string, true>)
  expect(names.sort()).toEqual(Array.from({ length: count }, (_, number) => `n${number}`).sort())
}

describe.skipIf(library === undefined)('a disk that fails under a running server', () => {
  test('full: writes are answered 503, reads go on, and with room writes go on too', async () => {
    await using dir = await tempDir()
    const server = await startOnBrokenDisk(dir.file('faults'), { DATA_DIR: dir.file('data') })
    expect((await call(server, 'PUT', '/kept.json', '1')).status).toBe(200)
    server.breakDisk('full')
    // Whoever asks writes nothing, as long as nobody has failed to.
    expect(await call(server, 'GET', '/ready')).toEqual(READY)
    for (const [method, path, body] of [
      ['PUT', '/kept.json', '2'],
      ['POST', '/list.json', '2'],
      ['PATCH', '/.json', '{"kept": 2, "other": 2}'],
      ['DELETE', '/kept.json', undefined],
      ['PUT', '/long.json', `"${'x'.repeat(LONG)}"`],
    ] as const) {
      const { status, text } = await call(server, method, path, body)
      expect([method, status, JSON.parse(text)]).toEqual([method, 503, UNAVAILABLE])
    }
    expect(await call(server, 'GET', '/.json')).toEqual({ status: 200, text: '{"kept":1}' })
    expect(await call(server, 'GET', '/ready')).toEqual(UNREADY)
    expect((await call(server, 'GET', '/health')).status).toBe(200)
    server.mendDisk('full')
    // No write of a client is needed to find out.
    expect(await call(server, 'GET', '/ready')).toEqual(READY)
    expect((await call(server, 'PATCH', '/.json', '{"kept": 3}')).status).toBe(200)
    expect(server.output()).toContain('database or disk is full')
    expect(isDocumented(server.output())).toBe(true)
    server.kill('SIGKILL')
    await server.exited
    await using again = await spawnServer({ DATA_DIR: dir.file('data') })
    expect((await call(again, 'GET', '/.json')).text).toBe('{"kept":3}')
  })

  test('a failed sync: nothing more is acknowledged, the server ends with status 1, all acknowledged is there', async () => {
    await using dir = await tempDir()
    const server = await startOnBrokenDisk(dir.file('faults'), { DATA_DIR: dir.file('data') })
    expect((await call(server, 'PUT', '/kept.json', '"acknowledged"')).status).toBe(200)
    server.breakDisk('sync')
    const { status, text } = await call(server, 'PUT', '/lost.json', '1')
    expect([status, JSON.parse(text)]).toEqual([503, UNAVAILABLE])
    expect(await server.exited).toBe(1)
    expect(server.output()).toContain('cannot make writes durable: nothing more is acknowledged')
    expect(isDocumented(server.output())).toBe(true)
    expect(server.output()).not.toContain('dhole: ')
    const again = await spawnServer({ DATA_DIR: dir.file('data') })
    expect((await call(again, 'GET', '/kept.json')).text).toBe('"acknowledged"')
    again.kill('SIGTERM')
    expect(await again.exited).toBe(0)
    const file = new Client(dir.file('data/apps/app.sqlite'), { readonly: true })
    expect(file.query('PRAGMA integrity_check').values()).toEqual([['ok']])
    file.close()
  })

  test('a checkpoint that fails: writes go on, and the log is moved once it can be', async () => {
    await using dir = await tempDir()
    const server = await startOnBrokenDisk(dir.file('faults'), { DATA_DIR: dir.file('data') })
    server.breakDisk('checkpoint')
    for (let number = 0; number < 9; number++) {
      const body = `"${String(number).repeat(LONG)}"`
      expect((await call(server, 'PUT', `/long/n${number}.json?print=silent`, body)).status).toBe(204)
    }
    expect(server.output()).toContain('cannot move the write-ahead log into the file: disk I/O error')
    expect(isDocumented(server.output())).toBe(true)
    server.mendDisk('checkpoint')
    expect((await call(server, 'PUT', '/after.json', '1')).status).toBe(200)
    server.kill('SIGTERM')
    expect(await server.exited).toBe(0)
    const log = Bun.file(dir.file('data/apps/app.sqlite-wal'))
    expect((await log.exists()) ? log.size : 0).toBe(0)
    await using again = await spawnServer({ DATA_DIR: dir.file('data') })
    expect((await call(again, 'GET', '/long.json?shallow=true')).text).toContain('"n8":true')
  })

  test('a checkpoint that fails when the server stops: the next one finds everything', async () => {
    await using dir = await tempDir()
    const server = await startOnBrokenDisk(dir.file('faults'), { DATA_DIR: dir.file('data') })
    expect((await call(server, 'PUT', '/kept.json', '1')).status).toBe(200)
    server.breakDisk('checkpoint')
    server.kill('SIGTERM')
    expect(await server.exited).toBe(0)
    await using again = await spawnServer({ DATA_DIR: dir.file('data') })
    expect((await call(again, 'GET', '/kept.json')).text).toBe('1')
  })
})

const UNSHARE = ['unshare', ...(process.getuid?.() === 0 ? ['-m'] : ['-rm']), 'sh', '-c']
const MOUNT = 'mount -t tmpfs -o size=3m,mode=700 tmpfs "$0"'

/** Whether this user may mount a disk that nobody else sees. */
function mayMount(): boolean {
  if (Bun.which('unshare') !== null && Bun.spawnSync([...UNSHARE, MOUNT, tmpdir()]).exitCode === 0) return true
  process.stderr.write('this user may not mount: a disk that is really full is not tried\n')
  return false
}

test.skipIf(!mayMount())(
  'on a disk that is really full nothing is lost, and writes go on when there is room',
  async () => {
    await using dir = await tempDir()
    const folder = dir.file('small')
    mkdirSync(folder)
    // It goes with the process.
    const through = [...UNSHARE, `${MOUNT} && exec "$@"`, folder]
    await using server = await spawnServer({ DATA_DIR: folder }, { through })
    // The disk is there for the server alone, and for whoever looks through its eyes.
    const filler = join(`/proc/${server.pid}/root`, folder, 'filler')
    writeFileSync(filler, new Uint8Array(512 * 1024))
    const written = await writeUntilRefused(server, 0)
    expect(written).toBeGreaterThan(10)
    await expectNumbers(server, written)
    rmSync(filler)
    for (let number = written; number < written + 5; number++) {
      expect((await call(server, 'PUT', `/numbers/n${number}.json`, '1')).status).toBe(200)
    }
    await expectNumbers(server, written + 5)
  },
)
