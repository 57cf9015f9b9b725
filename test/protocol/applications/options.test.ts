import { describe, expect, test } from 'bun:test'
import { type ApplicationOptions, type DholeOptions, dhole } from '../../../src/index.ts'
import { fileTest, storageOf } from '../../support/engine.ts'
import { startInProcess } from '../../support/https-server.ts'
import { tempDir } from '../../support/temp-dir.ts'
import { freed } from '../../system/applications/freed.ts'

const RULES = '{"rules": {".read": true}}'
const SECRET = 'a secret of one application'
const OTHER_SECRET = 'a secret of another application'

describe('options of applications that contradict or mean nothing', () => {
  const ofApp = (app: unknown): unknown => ({ applications: { app } })
  test.each([
    ['rules: not together with open', ofApp({ open: true, rules: RULES })],
    ['rules: not together with open', ofApp({ open: false, rules: RULES })],
    ['rules: Line 1: ', ofApp({ rules: 'nonsense' })],
    ['rules: Line 3: ', ofApp({ rules: '{"rules": {\n  ".read":\n  "auth.uid =="}}' })],
    ['rules', ofApp({ rules: { '.read': true } })],
    ['smsKey', ofApp({ smsKey: 'short' })],
    ['limits/maxReadMs', ofApp({ limits: { maxReadMs: 0 } })],
    ['limits/maxdepth', ofApp({ limits: { maxdepth: 3 } })],
    ['failedCredentials', { failedCredentials: -1 }],
    ['failedCredentials', { failedCredentials: '30' }],
    ['development', { development: 'yes' }],
    ['..~1a: Unexpected property', { applications: { '../a': {} } }],
  ])('%s is named in a TypeError, and nothing is opened', async (named, options) => {
    await using dir = await tempDir()
    const open = () => dhole({ dataDir: dir.file('data'), ...(options as DholeOptions) })
    expect(open).toThrow(TypeError)
    expect(open).toThrow(named)
    expect(await Bun.file(dir.file('data/apps/app.sqlite')).exists()).toBe(false)
  })
})

fileTest(
  'it damages a file',
  'one of several that cannot be opened is told at the start, and the others are let go of',
  async () => {
    await using dir = await tempDir()
    await Bun.write(dir.file('apps/second.sqlite'), 'no database'.repeat(1000))
    const applications: Record<string, ApplicationOptions> = { first: {}, second: {} }
    expect(() => dhole({ ...storageOf(dir.path), dataDir: dir.path, applications })).toThrow()
    await freed(dir.file('apps/first.sqlite'))
  },
)

test('each application of a plugin has its own rules, limits and failures', async () => {
  await using server = await startInProcess({
    applications: {
      ruled: { secret: SECRET, rules: RULES },
      small: { secret: OTHER_SECRET, open: true, limits: { maxLeafBytes: 3 } },
      locked: { secret: OTHER_SECRET },
    },
    limits: { maxLeafBytes: 100 },
  })
  const status = async (method: string, target: string, body?: string) =>
    (await server.call(method, target, { body })).status
  const secret = encodeURIComponent(SECRET)
  expect(await status('GET', '/a.json?ns=ruled')).toBe(200)
  expect(await status('PUT', '/a.json?ns=ruled', '1')).toBe(401)
  expect(await status('PUT', `/a.json?ns=ruled&auth=${secret}`, '"abcd"')).toBe(200)
  expect(await status('PUT', `/a.json?ns=locked&auth=${secret}`, '1')).toBe(401)
  expect(await status('PUT', '/a.json?ns=small', '"abc"')).toBe(200)
  expect(await status('PUT', '/a.json?ns=small', '"abcd"')).toBe(400)
  expect(await status('GET', '/a.json?ns=locked')).toBe(401)
})

test('a plugin counts wrong credentials unless told not to', async () => {
  for (const [failedCredentials, expected] of [
    [1, [401, 429, 429]],
    [0, [401, 401, 401]],
  ] as const) {
    await using server = await startInProcess({ failedCredentials })
    const statuses: number[] = []
    for (let round = 0; round < 3; round++) statuses.push((await server.call('GET', '/a.json?auth=wrong')).status)
    expect(statuses).toEqual([...expected])
  }
})
