import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readdirSync, writeFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { errorBody, errors } from '../../protocol/rest/errors.ts'
import { addApplication, runDhole, type ShownKeys } from '../../support/dhole-command.ts'
import { clientOfProcess, type ServerProcess, spawnServer } from '../../support/server-process.ts'
import { type TempDir, tempDir } from '../../support/temp-dir.ts'

const BASE_DOMAIN = 'db.example.org'
const DEFAULT_SECRET = 'the secret of the default application'

let dir: TempDir
let dataDir: string
let server: ServerProcess
let client: Awaited<ReturnType<typeof clientOfProcess>>
let left: ShownKeys
let right: ShownKeys

beforeAll(async () => {
  dir = await tempDir()
  dataDir = dir.file('data')
  await mkdir(dataDir)
  server = await spawnServer({ DATA_DIR: dataDir, BASE_DOMAIN, APP_SECRET: DEFAULT_SECRET, FAILED_CREDENTIALS: '0' })
  client = await clientOfProcess(server)
  left = await addApplication(dataDir, 'left')
  right = await addApplication(dataDir, 'right')
})

afterAll(async () => {
  await server.stop()
  await dir[Symbol.asyncDispose]()
})

/** Status and body of an answer, a body in JSON parsed. */
async function ask(method: string, target: string, body?: string, host?: string): Promise<readonly [number, unknown]> {
  const headers = host === undefined ? undefined : { Host: host }
  const { status, text } = await client.call(method, target, { body, headers })
  return [status, text === '' ? '' : JSON.parse(text)]
}

function as(id: string, secret: string): string {
  return `ns=${id}&auth=${encodeURIComponent(secret)}`
}

test('the same path is another node in each', async () => {
  const everywhere = [as('left', left.secret), as('right', right.secret), as('app', DEFAULT_SECRET)]
  for (const whose of everywhere) {
    expect(await ask('PUT', `/same/path.json?${whose}`, JSON.stringify(whose))).toEqual([200, whose])
  }
  for (const whose of everywhere) expect(await ask('GET', `/same.json?${whose}`)).toEqual([200, { path: whose }])
  expect(await ask('DELETE', `/same.json?${as('left', left.secret)}`)).toEqual([200, null])
  expect(await ask('GET', `/same/path.json?${as('right', right.secret)}`)).toEqual([200, as('right', right.secret)])
})

test('the secret of one is worth nothing in another', async () => {
  const strangers = [
    as('left', right.secret),
    as('left', DEFAULT_SECRET),
    as('right', left.secret),
    as('app', left.secret),
    as('left', left.smsKey),
  ]
  for (const whose of strangers) {
    expect(await ask('GET', `/a.json?${whose}`)).toEqual([401, errorBody(errors.token)])
    expect(await ask('PUT', `/a.json?${whose}`, '1')).toEqual([401, errorBody(errors.token)])
  }
})

test('one is locked unless told otherwise', async () => {
  // `ns` is what a Firebase client sends: that is told 401.
  expect(await ask('GET', '/a.json?ns=left')).toEqual([401, errorBody(errors.deniedFirebase)])
  expect(await ask('PUT', '/a.json', '1', `left.${BASE_DOMAIN}`)).toEqual([403, errorBody(errors.denied)])
  await addApplication(dataDir, 'open', '--open')
  expect(await ask('PUT', '/a.json', '1', `open.${BASE_DOMAIN}`)).toEqual([200, 1])
})

test('one begins with the rules of a file', async () => {
  const file = dir.file('rules.json')
  await Bun.write(file, '{"rules": {"public": {".read": true}}} // to begin with')
  const { secret } = await addApplication(dataDir, 'ruled', '--rules', file)
  expect(await ask('GET', '/public.json?ns=ruled')).toEqual([200, null])
  expect(await ask('GET', '/private.json?ns=ruled')).toEqual([401, errorBody(errors.deniedFirebase)])
  const rules = await client.call('GET', `/.settings/rules.json?${as('ruled', secret)}`)
  expect(rules.text).toBe(await Bun.file(file).text())
})

test('limits of its own bound what is written', async () => {
  const { secret } = await addApplication(dataDir, 'small', '--limits', '{"maxWriteBytes":20,"maxLeafBytes":10}')
  const whose = as('small', secret)
  expect(await ask('PUT', `/a.json?${whose}`, '"0123456789"')).toEqual([200, '0123456789'])
  expect(await ask('PUT', `/a.json?${whose}`, '"0123456789x"')).toEqual([400, errorBody(errors.leafTooBig)])
  expect(await ask('PUT', `/a.json?${whose}`, '[1,2,3,4,5,6,7,8,9,10]')).toEqual([400, errorBody(errors.writeTooBig)])
})

test('requests without a name are those of the default application', async () => {
  expect(await ask('PUT', '/mine.json', '1')).toEqual([200, 1])
  expect(await ask('GET', `/mine.json?${as('app', DEFAULT_SECRET)}`)).toEqual([200, 1])
  expect(await ask('GET', '/mine.json', undefined, BASE_DOMAIN)).toEqual([200, 1])
  expect(await ask('GET', '/mine.json', undefined, `app.${BASE_DOMAIN}`)).toEqual([200, 1])
})

/** Names under which a file could be found, were they ever made into a path. */
const names = [
  '../outside',
  '..%2foutside',
  '%2e%2e/outside',
  '%252e%252e%252foutside',
  '/etc/passwd',
  '..\\outside',
  './left',
  'left.json',
  'left.sqlite',
  'left%00',
  'left%0a',
  'left/',
  'LEFT',
  'Left',
  '.',
  '..',
  '__proto__',
  'constructor',
  'none',
  '',
  'a'.repeat(64),
]

test('a name that is not registered as it stands is unknown', async () => {
  const planted = JSON.stringify({ open: true })
  for (const place of ['outside.json', 'data/outside.json', 'data/apps/Left.json', 'data/apps/.json']) {
    writeFileSync(dir.file(place), planted)
  }
  for (const name of names) {
    expect([name, await ask('GET', `/.json?ns=${name}`)]).toEqual([name, [404, errorBody(errors.unknownApplication)]])
  }
  for (const label of ['none', '..', 'left%2f', '-left']) {
    expect(await ask('GET', '/.json', undefined, `${label}.${BASE_DOMAIN}`)).toEqual([
      404,
      errorBody(errors.unknownApplication),
    ])
  }
})

test('one that is removed is unknown at once; its data waits for its name', async () => {
  const { secret } = await addApplication(dataDir, 'gone')
  await ask('PUT', `/kept.json?${as('gone', secret)}`, '"data"')
  await runDhole(['apps', 'remove', 'gone', '--yes', '--data-dir', dataDir])
  expect(await ask('GET', `/kept.json?${as('gone', secret)}`)).toEqual([404, errorBody(errors.unknownApplication)])
  const again = await addApplication(dataDir, 'gone')
  expect(again.secret).not.toBe(secret)
  expect(await ask('GET', `/kept.json?${as('gone', secret)}`)).toEqual([401, errorBody(errors.token)])
  expect(await ask('GET', `/kept.json?${as('gone', again.secret)}`)).toEqual([200, 'data'])

  const beside = ['.before-restore-20260101T000000Z', '.before-restore-20260101T000000Z-wal', '.restoring-x']
  for (const suffix of beside) writeFileSync(`${dataDir}/apps/gone.sqlite${suffix}`, 'data')
  writeFileSync(`${dataDir}/apps/gone2.sqlite.before-restore-x`, 'of another one')
  await runDhole(['apps', 'remove', 'gone', '--yes', '--delete-data', '--data-dir', dataDir])
  expect(readdirSync(`${dataDir}/apps`).filter((name) => name.startsWith('gone'))).toEqual([
    'gone2.sqlite.before-restore-x',
  ])
  const empty = await addApplication(dataDir, 'gone')
  expect(await ask('GET', `/kept.json?${as('gone', empty.secret)}`)).toEqual([200, null])
})

test('one that cannot be opened is out of service, and no other is', async () => {
  const { secret } = await addApplication(dataDir, 'broken')
  const file = `${dataDir}/apps/broken.json`
  const good = await Bun.file(file).text()
  for (const bad of ['{', '{"opne":true}', '{"profile":"other"}', '{"rules":"{"}']) {
    writeFileSync(file, bad)
    expect(await ask('GET', `/a.json?${as('broken', secret)}`)).toEqual([503, errorBody(errors.unavailable)])
  }
  writeFileSync(file, good)
  writeFileSync(`${dataDir}/apps/broken.sqlite`, 'no database at all, but long enough to be taken for one'.repeat(100))
  expect(await ask('GET', `/a.json?${as('broken', secret)}`)).toEqual([503, errorBody(errors.unavailable)])
  writeFileSync(`${dataDir}/secrets/broken.secret`, '')
  expect(await ask('GET', '/a.json?ns=broken&auth=')).toEqual([503, errorBody(errors.unavailable)])
  expect(await ask('GET', `/a.json?${as('right', right.secret)}`)).toEqual([200, null])
  expect(server.output()).toContain('broken.json')
})
