import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { lstatSync, mkdirSync, readdirSync, statSync, symlinkSync } from 'node:fs'
import fc from 'fast-check'
import { addApplication } from '../../support/dhole-command.ts'
import { someInLanes } from '../../support/lane.ts'
import { type ServerProcess, spawnServer } from '../../support/server-process.ts'
import { type TempDir, tempDir } from '../../support/temp-dir.ts'
import { dhole, MAIN, type Ran, type Surroundings } from '../cli/dhole.ts'

const HEAD = 'rrid,mobile,status,deliveryStatus,receiveTime,submittedAt,messageId,producedAt,returnedAt\n'
const MOBILE = 13_800_000_000

/** As a carrier's user might write it: by the hand, with local times, and what a spreadsheet takes for a formula. */
const WRITTEN = `\ufeffmobile,rrid,receiveTime,deliveryStatus,status,messageId,submittedAt\r
13800138000,r1,2026-11-21 18:00:00,DELIVRD,2,=1+1,1763690000000\r
13900139000,r1,,,,"a""b,c",1763690000000\r
13800138000,r2,2026-11-21T10:00:00.5Z,"MY:0001",3,+1,2026-11-21T09:00:00Z\r
`
const EXPORTED = `${HEAD}r1,13800138000,2,DELIVRD,2026-11-21T10:00:00.000Z,2025-11-21T01:53:20.000Z,=1+1,2026-11-21T10:00:00.000Z,
r1,13900139000,0,,,2025-11-21T01:53:20.000Z,"a""b,c",,
r2,13800138000,3,MY:0001,2026-11-21T10:00:00.500Z,2026-11-21T09:00:00.000Z,+1,2026-11-21T10:00:00.500Z,
`
const EXPORTED_LINES = [
  '{"rrid":"r1","mobile":"13800138000","status":2,"deliveryStatus":"DELIVRD","receiveTime":"2026-11-21T10:00:00.000Z","submittedAt":"2025-11-21T01:53:20.000Z","messageId":"=1+1","producedAt":"2026-11-21T10:00:00.000Z"}',
  '{"rrid":"r1","mobile":"13900139000","status":0,"deliveryStatus":"","submittedAt":"2025-11-21T01:53:20.000Z","messageId":"a\\"b,c"}',
  '{"rrid":"r2","mobile":"13800138000","status":3,"deliveryStatus":"MY:0001","receiveTime":"2026-11-21T10:00:00.500Z","submittedAt":"2026-11-21T09:00:00.000Z","messageId":"+1","producedAt":"2026-11-21T10:00:00.500Z"}',
  '',
].join('\n')

/** A message of any kind, as a line of JSON; one phone number per line, so that none is another one's. */
const anyMessage = (() => {
  // Of years beyond any retention, so that it is not their age that tells whether they are there.
  const time = fc
    .integer({ min: Date.UTC(2030, 0), max: Date.UTC(9999, 11, 31) })
    .map((ms) => new Date(ms).toISOString())
  const code = fc.string({ unit: fc.constantFrom(...' !"#,=-+@:azAZ09~'), minLength: 1, maxLength: 64 })
  const messageId = fc.option(
    fc.string({ unit: fc.constantFrom(...'=+-@",;\'az09ü中😀'), minLength: 1, maxLength: 30 }),
    { nil: undefined },
  )
  const rrid = fc.constantFrom('batch', 'r', '-_-', '0', '__proto__')
  const final = fc.record({
    rrid,
    status: fc.constantFrom(2, 3),
    deliveryStatus: code,
    receiveTime: time,
    messageId,
    producedAt: time,
    returnedAt: fc.option(time, { nil: undefined }),
  })
  const sending = fc.record({
    rrid,
    status: fc.constant(1),
    deliveryStatus: fc.oneof(code, fc.constant('')),
    receiveTime: time,
    messageId,
  })
  return fc.oneof(final, sending, fc.record({ rrid, status: fc.constant(0), messageId }))
})()

/** The messages of lines of JSON by number, but for the moment of their import and what is empty. */
function membersOf(text: string): Readonly<Record<string, unknown>> {
  const messages = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  return Object.fromEntries(
    messages.map(({ mobile, submittedAt: _, deliveryStatus = '', ...rest }) => [mobile, { deliveryStatus, ...rest }]),
  )
}

function lines(count: number, wrongAt?: number): string {
  const line = (_: unknown, at: number) => (at === wrongAt ? 'r,no number' : `r,${MOBILE + at}`)
  return `rrid,mobile\n${Array.from({ length: count }, line).join('\n')}\n`
}

const ROW = 'r,13800138000'

const wrong: readonly (readonly [name: string, text: string, complaint: string])[] = [
  ['no rrid', `${HEAD},13800138000,,,,,,,`, ':2: rrid: expected a value, found nothing'],
  ['a rrid of another form', `${HEAD}a b,1,,,,,,,`, ':2: rrid: expected 1 to 64 letters, digits, _ and -, found "a b"'],
  ['no number', `${HEAD}r,,,,,,,,`, ':2: mobile: expected a value, found nothing'],
  [
    'a number of another form',
    `${HEAD}${ROW},,,,,,,\nr,12,,,,,,,`,
    ':3: mobile: expected a telephone number of the form',
  ],
  ['a status that is none', `${HEAD}${ROW},4,,,,,,`, ':2: status: expected 0, 1, 2 or 3, found "4"'],
  [
    'a code with a control character',
    `${HEAD}${ROW},1,"A\u0007",,,,,`,
    ':2: deliveryStatus: expected 1 to 64 printable ASCII characters',
  ],
  [
    'a code of another status',
    `${HEAD}${ROW},3,DELIVRD,1,,,,`,
    ':2: deliveryStatus: DELIVRD belongs to status 2, not 3',
  ],
  ['a code without a report', `${HEAD}${ROW},0,X,,,,,`, ':2: deliveryStatus: expected nothing while status is 0'],
  [
    'a final state without a time',
    `${HEAD}${ROW},2,DELIVRD,,,,,`,
    ':2: receiveTime: expected a time, because status is 2',
  ],
  ['a report of what is not sent', `${HEAD}${ROW},0,,1,,,,`, ':2: receiveTime: expected nothing while status is 0'],
  ['an end of what is on its way', `${HEAD}${ROW},1,,,,,1,`, ':2: producedAt: expected nothing while status is 1'],
  ['handed over before its end', `${HEAD}${ROW},0,,,,,,1`, ':2: returnedAt: expected nothing while status is 0'],
  [
    'a day that is not',
    `${HEAD}${ROW},2,DELIVRD,2026-02-30 10:00:00,,,,`,
    ':2: receiveTime: there is no such time: "2026-02-30 10:00:00"',
  ],
  ['an instant that is not', `${HEAD}${ROW},,,,2026-02-30T10:00:00Z,,,`, ':2: submittedAt: expected a time such as'],
  ['a time without a zone', `${HEAD}${ROW},,,,2026-02-03 10:00:00,,,`, ':2: submittedAt: expected a time such as'],
  ['a time before 1970', `${HEAD}${ROW},,,,-1,,,`, ':2: submittedAt: expected a time such as'],
  ['a time that no date has', `${HEAD}${ROW},,,,9999999999999999,,,`, ':2: submittedAt: expected a time such as'],
  [
    'an id with a space',
    `${HEAD}${ROW},,,,,a b,,`,
    ':2: messageId: expected 1 to 64 printable characters without spaces',
  ],
  ['an unknown column', `${HEAD.trimEnd()},price\n`, ':1: unknown column "price": there are rrid,'],
  ['nothing at all', '', ':1: expected a line with the names of the columns'],
  ['a quotation mark not closed', `${HEAD}\n"r,${'\n'.repeat(50)}`, ':3: a quotation mark is not closed'],
  ['UTF-16', `${HEAD}`.replaceAll('', '\u0000'), ':1: unknown column'],
]

describe.each(someInLanes([['with a running server'], ['without a server']], 2))('%s', (kind) => {
  let dir: TempDir
  let server: ServerProcess | undefined

  beforeAll(async () => {
    dir = await tempDir()
    // Whenever this is run, nothing of it is too old to be kept.
    server = await spawnServer({ DATA_DIR: dir.file('data'), SMS_RETENTION_DAYS: '100000' })
    if (kind === 'with a running server') return
    server.kill('SIGTERM')
    await server.exited
    server = undefined
  })

  afterAll(async () => {
    await server?.stop()
    await dir[Symbol.asyncDispose]()
  })

  function sms(does: readonly string[], { stdin, env = {} }: Surroundings = {}): Promise<Ran> {
    const surroundings = { env: { DATA_DIR: dir.file('data'), ...env } }
    return dhole(['sms', ...does], stdin === undefined ? surroundings : { ...surroundings, stdin })
  }

  /** An application without messages. */
  async function empty(id: string, ...flags: readonly string[]): Promise<readonly string[]> {
    await addApplication(dir.file('data'), id, ...flags)
    return ['--app', id]
  }

  async function written(name: string, text: string | Uint8Array): Promise<string> {
    await Bun.write(dir.file(name), text)
    return dir.file(name)
  }

  async function counts(app: readonly string[]): Promise<Readonly<Record<string, number>>> {
    return JSON.parse((await sms(['counts', '--json', ...app])).out)
  }

  test('what is imported is exported, and a second time it is known', async () => {
    const file = await written('written.csv', WRITTEN)
    const said = (added: number, known: number, changed: number) => ({
      status: 0,
      out: `imported 3 messages: ${added} added, ${known} known, ${changed} changed\n`,
      err: '',
    })
    expect<unknown>(await sms(['import', file])).toEqual(said(3, 0, 0))
    expect<unknown>(await sms(['import', file])).toEqual(said(0, 3, 0))
    expect<unknown>(await sms(['export'])).toEqual({ status: 0, out: EXPORTED, err: '' })
    expect<unknown>(await sms(['export', '-'])).toEqual({ status: 0, out: EXPORTED, err: '' })
    expect<unknown>(await sms(['export', '--format', 'ndjson'])).toEqual({ status: 0, out: EXPORTED_LINES, err: '' })
    expect(await counts([])).toMatchObject({ notSent: 1, sending: 0, delivered: 1, failed: 1 })
    const further = await written('further.ndjson', '{"rrid":"r1","mobile":"13900139000","status":1}\n')
    expect((await sms(['import', further])).out).toBe('imported 1 messages: 0 added, 0 known, 1 changed\n')
    expect(await counts([])).toMatchObject({ notSent: 0, sending: 1, delivered: 1, failed: 1 })
  })

  test('counts are a table', async () => {
    const app = await empty('counted')
    await sms(['import', '-', '--format', 'csv', ...app], { stdin: lines(12) })
    const { status, out, err } = await sms(['counts', ...app])
    expect<unknown>([status, err]).toEqual([0, ''])
    expect(out).toMatch(/^notSent +12\nsending +0\ndelivered +0\n/)
    expect(
      new Set(
        out
          .trimEnd()
          .split('\n')
          .map(({ length }) => length),
      ).size,
    ).toBe(1)
  })

  test.each([
    ['csv', WRITTEN],
    ['ndjson', EXPORTED_LINES],
  ])('%s comes through standard input', async (format, stdin) => {
    const app = await empty(`piped-${format}`)
    const result = await sms(['import', '-', '--format', format, ...app], { stdin })
    expect<unknown>(result).toEqual({ status: 0, out: 'imported 3 messages: 3 added, 0 known, 0 changed\n', err: '' })
    expect((await sms(['export', ...app])).out).toBe(EXPORTED)
  })

  test('times are of the zone of the application, numbers of its form', async () => {
    const app = await empty('berlin', '--sms', '{"timeZone":"Europe/Berlin","mobile":"^\\\\+49[0-9]{6,}$"}')
    const head = 'rrid,mobile,status,deliveryStatus,receiveTime\n'
    const good = `${head}r,+49301234567,2,DELIVRD,2026-07-01 12:00:00\n`
    const result = await sms(['import', '-', '--format', 'csv', ...app], { stdin: good })
    expect<unknown>(result).toEqual({ status: 0, out: expect.stringContaining('1 added'), err: '' })
    expect((await sms(['export', ...app])).out).toContain('r,+49301234567,2,DELIVRD,2026-07-01T10:00:00.000Z,')
    const wrong = await sms(['import', '-', '--format', 'csv', ...app], { stdin: lines(1) })
    expect<unknown>(wrong).toEqual({
      status: 2,
      out: '',
      err: `dhole: <stdin>:2: mobile: expected a telephone number of the form set for the application, found "${MOBILE}"; nothing is imported\n`,
    })
  })

  test('messages that name no time were submitted in one moment, that of the import', async () => {
    const app = await empty('moment')
    const before = Date.now()
    await sms(['import', '-', '--format', 'csv', ...app], { stdin: 'rrid,mobile\na,13800138000\nb,13800138000\n' })
    const { out } = await sms(['export', ...app])
    const times = [...out.matchAll(/,(2[^,]+Z),/g)].map(([, time = '']) => Date.parse(time))
    expect(new Set(times).size).toBe(1)
    expect(times).toHaveLength(2)
    expect(times[0]).toBeWithin(before, Date.now() + 1)
  })

  test('any messages exported and imported give the same export', async () => {
    const [messages = []] = fc.sample(fc.array(anyMessage, { minLength: 2500, maxLength: 2500 }), {
      numRuns: 1,
      seed: 6,
    })
    const text = messages.map((message, at) => `${JSON.stringify({ mobile: String(MOBILE + at), ...message })}\n`)
    const first = await empty('first')
    const file = await written('any.ndjson', text.join(''))
    expect<unknown>(await sms(['import', file, ...first])).toEqual({
      status: 0,
      out: 'imported 2500 messages: 2500 added, 0 known, 0 changed\n',
      err: '',
    })
    const exports = new Map<string, string>()
    for (const format of ['csv', 'ndjson']) {
      const exported = dir.file(`first.${format}`)
      expect((await sms(['export', exported, ...first])).out).toBe('exported 2500 messages\n')
      exports.set(format, await Bun.file(exported).text())
    }
    expect(membersOf(exports.get('ndjson') ?? '')).toEqual(membersOf(text.join('')))
    for (const format of exports.keys()) {
      const again = await empty(`again-${format}`)
      expect((await sms(['import', dir.file(`first.${format}`), ...again])).err).toBe('')
      for (const [second, expected] of exports) {
        expect((await sms(['export', '--format', second, ...again])).out === expected).toBe(true)
      }
    }
  })

  test('a wrong line stops an import before its page, and mended it goes on', async () => {
    const app = await empty('paged')
    const file = await written('paged.csv', lines(2500, 2200))
    const { status, out, err } = await sms(['import', file, ...app])
    expect<unknown>([status, out]).toEqual([2, 'imported 2000 messages: 2000 added, 0 known, 0 changed\n'])
    expect(err).toMatch(/^dhole: \S+paged\.csv:2202: mobile: expected .*; nothing from line 2002 on is imported\n$/)
    expect(await counts(app)).toMatchObject({ notSent: 2000 })
    await written('paged.csv', lines(2500))
    expect((await sms(['import', file, ...app])).out).toBe('imported 2500 messages: 500 added, 2000 known, 0 changed\n')
    expect(await counts(app)).toMatchObject({ notSent: 2500 })
  })

  test('a wrong line is told with its number, and nothing is imported', async () => {
    const before = await counts([])
    for (const [name, text, complaint] of wrong) {
      const file = await written('wrong.csv', text)
      const { status, out, err } = await sms(['import', file])
      expect<unknown>({ name, status, out, err }).toEqual({
        name,
        status: 2,
        out: '',
        err: expect.stringMatching(/^[^\n]*; nothing is imported\n$/),
      })
      expect(err).toStartWith(`dhole: ${file}${complaint}`)
    }
    expect(await counts([])).toEqual(before)
  })

  test('garbage ends in a message', async () => {
    const bytes = fc.sample(fc.uint8Array({ minLength: 1, maxLength: 2000 }), { numRuns: 6, seed: 6 })
    const gzip = Bun.gzipSync(new TextEncoder().encode(WRITTEN))
    for (const [at, garbage] of [
      ...bytes,
      gzip,
      new Uint8Array([0xff, 0xfe, 0x72, 0]),
      new Uint8Array([0]),
    ].entries()) {
      for (const format of ['csv', 'ndjson']) {
        const file = await written(`garbage-${at}.${format}`, garbage)
        const { status, out, err } = await sms(['import', file])
        // Nothing but white space is an empty file of this format.
        if (format === 'ndjson' && status === 0) expect(out).toStartWith('imported 0 messages')
        else expect<unknown>([status, out]).toEqual([2, ''])
        if (status !== 0)
          expect(err).toMatch(/^dhole: \S+garbage-\d\.\w+:(\d+: .+| not UTF-8 text); nothing is imported\n$/)
      }
    }
  })

  test('what is no use is told', async () => {
    // What SQLite keeps beside a file that is open comes and goes.
    const everything = () =>
      readdirSync(dir.path, { recursive: true, encoding: 'utf8' })
        .filter((name) => !/-(wal|shm)$/.test(name))
        .sort()
    const file = await written('good.csv', lines(1))
    mkdirSync(dir.file('folder.csv'), { recursive: true })
    const before = everything()
    for (const [does, err] of [
      [
        ['import', dir.file('none.csv')],
        /^dhole: \S+none\.csv: cannot be read: there is no such file; nothing is imported\n$/,
      ],
      [
        ['import', dir.file('folder.csv')],
        /^dhole: \S+folder\.csv: cannot be read: it is a folder; nothing is imported\n$/,
      ],
      [['import', dir.file('good')], /^dhole: \S+good: its name ends neither in \.csv nor in \.ndjson: say --format/],
      [['import', '-'], /^dhole: <stdin>: its name ends/],
      [['import', file, '--format', 'xml'], /csv, ndjson/],
      [['import', file, '--app', 'none'], /^dhole: \S*(good\.csv: )?there is no application "none"/],
      [['import', file, '--app', '../app'], /^dhole: --app: "\.\.\/app" is no name of an application\n$/],
      [['import', file, '--app', '__proto__'], /^dhole: --app: "__proto__" is no name/],
      [['export', '--app', 'none'], /^dhole: there is no application "none"/],
      [['export', dir.file('out.csv'), '--app', 'none'], /^dhole: there is no application "none"/],
      [['export', dir.file('out')], /^dhole: \S+out: its name ends neither/],
      [['export', dir.file('nowhere/out.csv')], /^dhole: .*nowhere/],
      [['export', dir.file('folder.csv')], /^dhole: .*: it is a folder/],
      [['counts', '--app', 'none'], /^dhole: there is no application "none"/],
      [['import'], /missing required argument/],
    ] as const) {
      const result = await sms(does)
      expect<unknown>({ does, ...result }).toEqual({
        does,
        status: 2,
        out: expect.any(String),
        err: expect.stringMatching(err),
      })
    }
    expect(everything()).toEqual(before)
  })

  test('a file is written whole, in the place of the one that was there', async () => {
    const app = await empty('filed')
    await sms(['import', '-', '--format', 'csv', ...app], { stdin: WRITTEN })
    const file = await written('old.csv', 'old\n')
    symlinkSync('old.csv', dir.file('link.csv'))
    const before = readdirSync(dir.path).sort()
    expect<unknown>(await sms(['export', dir.file('link.csv'), ...app])).toEqual({
      status: 0,
      out: 'exported 3 messages\n',
      err: '',
    })
    expect(await Bun.file(file).text()).toBe(EXPORTED)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(lstatSync(dir.file('link.csv')).isSymbolicLink()).toBe(true)
    expect(readdirSync(dir.path).sort()).toEqual(before)
    const device = await sms(['export', '/dev/null', '--format', 'csv', ...app])
    expect<unknown>(device).toEqual({ status: 0, out: 'exported 3 messages\n', err: '' })
    expect(statSync('/dev/null').isFile()).toBe(false)
  })

  test('progress is one line on a terminal, and nowhere else', async () => {
    const app = await empty('watched')
    const file = await written('watched.csv', lines(1500))
    let seen = ''
    const decoder = new TextDecoder()
    const terminal = {
      cols: 200,
      rows: 10,
      data: (_: unknown, bytes: Uint8Array) => {
        seen += decoder.decode(bytes, { stream: true })
      },
    }
    const child = Bun.spawn([process.execPath, MAIN, 'sms', 'import', file, ...app], {
      env: { PATH: process.env['PATH'] ?? '', DATA_DIR: dir.file('data') },
      terminal,
    })
    expect(await child.exited).toBe(0)
    const erase = '\r\u001b[K'
    expect(seen).toMatch(/\d+ messages, \d+\/s, \d+ %/)
    expect(seen.split('\n').map((line) => line.split(erase).at(-1)?.trim())).toEqual([
      'imported 1500 messages: 1500 added, 0 known, 0 changed',
      '',
    ])
  })
})
