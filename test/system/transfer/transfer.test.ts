import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { openDatabase } from '../../../src/embedded.ts'
import { addApplication } from '../../support/dhole-command.ts'
import { longTest, someInLanes } from '../../support/lane.ts'
import { type ServerProcess, spawnServer } from '../../support/server-process.ts'
import { type TempDir, tempDir } from '../../support/temp-dir.ts'
import { dhole, type Ran } from '../cli/dhole.ts'
import { longExport } from './long-export.ts'

let dir: TempDir
let server: ServerProcess

beforeAll(async () => {
  dir = await tempDir()
  server = await spawnServer({
    DATA_DIR: dir.file('served'),
    MAX_READ_BYTES: '450000',
    APP_SECRET: 'secret-of-the-tests',
  })
})
afterAll(async () => {
  await server.stop()
  await dir[Symbol.asyncDispose]()
})

/** A folder with the tree of a server that has ended. */
async function closedFolder(name: string): Promise<string> {
  const DATA_DIR = dir.file(name)
  const ended = await spawnServer({ DATA_DIR })
  ended.kill('SIGTERM')
  await ended.exited
  return DATA_DIR
}

function https(): string[] {
  return ['--url', server.url, '--cacert', server.certificate]
}

/** Runs a command that must succeed. */
async function done(args: readonly string[], more: Parameters<typeof dhole>[1] = {}): Promise<Ran> {
  const ran = await dhole(args, more)
  if (ran.status !== 0) throw new Error(`${args.join(' ')}: ${ran.err}`)
  return ran
}

/** What no PUT takes as a member of an object, where it is told to stand, and so many bytes behind the first of it. */
const FAULTS: readonly (readonly [string | Uint8Array, string, number])[] = [
  ['"a/b":1', '', 0],
  ['"a\\u002fb":1', '', 0],
  ['"a.b":1', '', 0],
  ['"a":{"b":1e999}', '/a/b', 9],
  ['"a":{"b":{".sv":"timestamp"}}', '/a/b', 9],
  ['"a":{"b":{"\\u002esv":"timestamp"}}', '/a/b', 9],
  ['"a":{".priority":{".sv":"timestamp"},"b":1}', '/a/.priority', 17],
  ['"a":["\\ud800"]', '/a/0', 5],
  [new Uint8Array([...Buffer.from('"a":"'), 0xff, 0x22]), '/a', 4],
  ['"a":tru', '/a', 4],
  ['"":1', '', 0],
  [`"${'k'.repeat(800)}":1`, '', 0],
  [`"a":${'{"d":'.repeat(40)}1${'}'.repeat(40)}`, `/a${'/d'.repeat(31)}`, 4 + 31 * 5],
]

const env = { DHOLE_SECRET: 'secret-of-the-tests' }

const ways = [
  ['the closed file', async () => ['--data-dir', await closedFolder('closed')]],
  ['the socket of a server', async () => ['--data-dir', dir.file('served')]],
  ['HTTPS', async () => https()],
] as const

describe.each(someInLanes(ways, 2))('through %s', (_, flags) => {
  let where: readonly string[]
  beforeAll(async () => {
    where = await flags()
  })

  test('what is exported is what was imported, with priorities, rules and lists', async () => {
    const file = dir.file('long.json')
    const { text, exported } = longExport(11)
    await Bun.write(file, text)
    await Bun.write(dir.file('rules.json'), '{"rules":{".read":false /* mine */}}')
    await done(['import', file, ...where, '--path', '/in', '--rules', dir.file('rules.json')], { env })
    expect(existsSync(`${file}.import-state`)).toBe(false)
    await done(['export', dir.file('out.json'), ...where, '--path', '/in', '--rules', dir.file('rules-out.json')], {
      env,
    })
    expect(JSON.parse(readFileSync(dir.file('out.json'), 'utf8'))).toEqual(exported)
    expect(statSync(dir.file('out.json')).mode & 0o777).toBe(0o600)
    expect(readFileSync(dir.file('rules-out.json'), 'utf8')).toBe('{"rules":{".read":false /* mine */}}')
  })

  test('what stood there is replaced, or merged child by child', async () => {
    const put = (json: unknown, ...more: string[]) =>
      done(['import', '-', ...where, '--path', '/merged', ...more], { env, stdin: JSON.stringify(json) })
    const long = Object.fromEntries(Array.from({ length: 9000 }, (__, index) => [`k${index}`, 'x'.repeat(80)]))
    await put({ old: 1, both: { old: 1, other: 2 } })
    await put({ '.priority': 3, both: long, fresh: true, old: null }, '--merge')
    const merged = JSON.parse((await done(['export', ...where, '--path', '/merged'], { env })).out) as unknown
    expect(merged).toEqual({ '.priority': 3, both: long, fresh: true })
    await put([null, 'one'])
    expect((await done(['export', ...where, '--path', '/merged'], { env })).out).toBe('{"1":"one"}\n')
  })

  longTest('the last of two members of the same name counts, however long they are', async () => {
    const long = JSON.stringify(Array.from({ length: 20_000 }, (__, index) => `element ${index}`))
    const stdin = `{"a":${long},"b":{"x":1},"c":${long},"b":${long},"a":{"y":2},"c":[1]}`
    await done(['import', '-', ...where, '--path', '/twice'], { env, stdin })
    const found = JSON.parse((await done(['export', ...where, '--path', '/twice'], { env })).out) as Record<
      string,
      object
    >
    expect([found['a'], Object.keys(found['b'] ?? {}).length, found['c']]).toEqual([{ y: 2 }, 20_000, { 0: 1 }])
  })

  test.each([
    ['{"a":{"b":[1,2,{"x":1e999}]}}', 'byte 20, "/bad/a/b/2/x"'],
    ['{"a":{"b":1', 'byte 11, "/bad/a"'],
    ['{"a/b":1}', 'byte 1, "/bad"'],
    ['{"a":{".sv":"timestamp"}}', 'byte 5, "/bad/a"'],
    ['', 'byte 0, "/bad"'],
    [`${'{"a":'.repeat(40)}1${'}'.repeat(40)}`, 'byte 160, '],
    [`{"long":["${'x'.repeat(300_000)}",1,"${'y'.repeat(300_000)}" 2]}`, 'byte 600017, "/bad/long"'],
  ])('a fault is told with its place: %#', async (stdin, place) => {
    const { status, err } = await dhole(['import', '-', ...where, '--path', '/bad'], { env, stdin })
    expect(err).toContain(place)
    expect(status).toBe(1)
  })

  test.each(someInLanes(FAULTS, 3))(
    'a fault in the middle of a long text is told with its place: %#',
    async (member, place, behind) => {
      const value = 'x'.repeat(1000)
      const members = Array.from({ length: 1000 }, (__, index) => `"k${String(index).padStart(3, '0')}":"${value}"`)
      const before = `{${members.slice(0, 600).join(',')},`
      const stdin = Buffer.concat([
        Buffer.from(before),
        typeof member === 'string' ? Buffer.from(member) : member,
        Buffer.from(`,${members.slice(600).join(',')}}`),
      ])
      await done(['import', '-', ...where, '--path', '/middle'], { env, stdin: 'null' })
      const { status, err } = await dhole(['import', '-', ...where, '--path', '/middle'], { env, stdin })
      expect([status, err]).toEqual([1, expect.stringContaining(`byte ${before.length + behind}, "/middle${place}"`)])
      const { out } = await done(['export', ...where, '--path', '/middle'], { env })
      const keys = Object.keys(JSON.parse(out) as object)
      expect(keys.length).toBeGreaterThan(0)
      expect(keys.length).toBeLessThanOrEqual(600)
      expect(keys.at(-1)).toBe(`k${String(keys.length - 1).padStart(3, '0')}`)
    },
  )

  test('a long text is taken as it is meant, whatever its keys and leaves look like', async () => {
    const pad = 'x'.repeat(1000)
    const list = Object.fromEntries(Array.from({ length: 900 }, (__, index) => [`k${index}`, `a/b ".sv" \\ ${pad}`]))
    const tiny = Object.fromEntries(Array.from({ length: 9000 }, (__, index) => [`t${index}`, index]))
    const text = JSON.stringify({ list: { ...list, '.priority': 'p', last: { '.value': 1, '.priority': 2 } }, tiny })
    const stdin = text
      .replace('"k450"', '"\\u006b450"')
      .replace('"k451":"a/b', '"k451":"a\\/b')
      .replace('"k452"', '"k/2"')
    const refused = await dhole(['import', '-', ...where, '--path', '/looks'], { env, stdin })
    expect(refused.err).toContain(`byte ${stdin.indexOf('"k/2"')}, "/looks/list"`)
    await done(['import', '-', ...where, '--path', '/looks'], { env, stdin: stdin.replace('"k/2"', '"k452"') })
    const { out } = await done(['export', ...where, '--path', '/looks'], { env })
    expect(JSON.parse(out)).toEqual(JSON.parse(text))
  })

  test('what is packed is unpacked', async () => {
    const { text, exported } = longExport(12)
    await Bun.write(dir.file('long.json.gz'), gzipSync(text))
    await done(['import', dir.file('long.json.gz'), ...where, '--path', '/packed'], { env })
    const { out } = await done(['export', ...where, '--path', '/packed'], { env })
    expect(JSON.parse(out)).toEqual(exported)
  })
})

test.each([
  [['import', 'nothing.json'], 2, 'there is no application "app"'],
  [['import', '-', '--path', '/a/.priority'], 2, '--path'],
  [['import', '-', '--path', '/a/$b'], 2, '--path'],
  [['import', '-', '--url', 'http://localhost'], 1, 'https://'],
  [['import', '-', '--token', 'x'], 1, 'belong to --url'],
  [['export', '--url', 'https://localhost:1'], 1, 'https://localhost:1: '],
] as const)('%j is refused', async (args, status, complaint) => {
  const ran = await dhole(args, { env: { DATA_DIR: dir.file('nowhere') } })
  expect(ran.err).toContain(complaint)
  expect(ran.err.trim().split('\n')).toHaveLength(1)
  expect(existsSync(dir.file('nowhere'))).toBe(false)
  expect([1, 2]).toContain(status)
})

longTest('what is longer than others may read ends an export, and leaves no file', async () => {
  await using narrow = await spawnServer({ DATA_DIR: dir.file('narrow'), MAX_READ_BYTES: '1000' })
  await done(['import', '-', '--data-dir', dir.file('narrow')], {
    stdin: JSON.stringify({ a: { b: 'x'.repeat(2000) } }),
  })
  const { status, err } = await dhole([
    'export',
    dir.file('no.json'),
    '--url',
    narrow.url,
    '--cacert',
    narrow.certificate,
  ])
  expect([status, existsSync(dir.file('no.json'))]).toEqual([1, false])
  expect(err).toContain('/ is larger than the read limit; only an admin can export it')
})

test('over HTTPS an application is named without a mark of Firebase clients', async () => {
  await addApplication(dir.file('served'), 'shop', '--open')
  await addApplication(dir.file('served'), 'vault')
  await done(['import', '-', ...https(), '--app', 'shop'], { stdin: '{"a":1}' })
  expect((await done(['export', ...https(), '--app', 'shop'])).out).toBe('{"a":1}\n')
  const { status, err } = await dhole(['export', ...https(), '--app', 'vault'])
  expect([status, err]).toEqual([1, expect.stringContaining('the server answers 403: Permission denied')])
})

test('an export is of one moment, whatever is written meanwhile', async () => {
  await using db = openDatabase({ file: dir.file('moment.sqlite') })
  const value = (count: number) =>
    Object.fromEntries(Array.from({ length: 3000 }, (__, i) => [`k${i}`, { count, text: 'x'.repeat(200) }]))
  await db.put('/list', value(1))
  const pieces: string[] = []
  for await (const piece of db.export('/list')) {
    if (pieces.length === 0) await db.put('/list', value(2))
    pieces.push(piece)
  }
  expect(pieces.length).toBeGreaterThan(1)
  expect(JSON.parse(pieces.join(''))).toEqual(value(1))
})

test('an export that nobody takes to its end holds up no closing', async () => {
  const db = openDatabase({ file: dir.file('left.sqlite') })
  await db.put(
    '/list',
    Array.from({ length: 9000 }, () => 'x'.repeat(100)),
  )
  const pieces = db.export('/list')
  await pieces.next()
  await db.close()
  const error = await pieces.next().catch((thrown: unknown) => thrown)
  expect(String(error)).toContain('out of service')
})
