import { describe, expect, test } from 'bun:test'
import { Proxies } from '../../../src/http/connection/proxies.ts'
import { dhole } from '../../../src/index.ts'
import { runDhole } from '../../support/dhole-command.ts'
import { someInLanes } from '../../support/lane.ts'
import { clientOfProcess, spawnServer } from '../../support/server-process.ts'
import { tempDir } from '../../support/temp-dir.ts'

const LONG = 'a secret of thirty-two letters..'
const SHORT = 'a secret of the test suite'

describe('a proxy is named', () => {
  test.each([
    [['127.0.0.1'], '127.0.0.1', true],
    [['127.0.0.1'], '127.0.0.2', false],
    [['::ffff:127.0.0.1'], '127.0.0.1', true],
    [['::1'], '::1', true],
    [['0:0::1'], '::1', true],
    [['10.0.0.0/8'], '10.255.3.4', true],
    [['10.1.2.3/8'], '10.255.3.4', true],
    [['10.0.0.0/8'], '11.0.0.1', false],
    [['192.0.2.7/32'], '192.0.2.7', true],
    [['192.0.2.7/32'], '192.0.2.8', false],
    [['0.0.0.0/0'], '203.0.113.9', true],
    [['0.0.0.0/0'], '2001:db8::1', false],
    [['fd00::/8'], 'fd12:3456::1', true],
    [['fd00::/8'], 'fe80::1', false],
    [['192.0.2.1', '2001:db8::/32'], '2001:db8:ffff::1', true],
    [[], '127.0.0.1', false],
    [['127.0.0.1'], 'localhost', false],
    [['127.0.0.1'], '', false],
    [['fe80::/10'], 'fe80::1%eth0', false],
  ])('by %j: %s, %p', (entries, address, isNamed) => {
    expect(new Proxies(entries).has(address)).toBe(isNamed)
  })

  const BAD = [
    'localhost',
    '10.0.0',
    '10.0.0.0/33',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    '10.0.0.0/-1',
    'fd00::/129',
    '::ffff:10.0.0.0/8',
    '',
  ]

  test.each(someInLanes(BAD, 2))('and not by %j', async (entry) => {
    const why = `expected IP addresses and ranges such as 10.0.0.0/8, found ${JSON.stringify(entry)}`
    const started = await runDhole(['serve'], { PORT: '0', TRUST_PROXY: `127.0.0.1, ${entry}` })
    expect(started).toEqual({ status: 2, stdout: '', stderr: `dhole: TRUST_PROXY: ${why}\n` })
    if (entry !== '') expect(() => dhole({ trustProxy: [entry] })).toThrow(`Wrong options: trustProxy: ${why}`)
  })
})

test('a range of proxies speaks for its clients', async () => {
  await using server = await spawnServer({ TRUST_PROXY: '127.0.0.0/8', FAILED_CREDENTIALS: '1' })
  const { call } = await clientOfProcess(server)
  const guess = async (client: string) =>
    (await call('GET', '/a.json?auth=wrong', { headers: { 'X-Forwarded-For': client } })).status
  expect([await guess('203.0.113.5'), await guess('203.0.113.5'), await guess('203.0.113.6')]).toEqual([401, 429, 401])
  expect(server.output()).not.toContain('TRUST_PROXY')
})

test('a peer that is not named and forwards is told of once', async () => {
  await using server = await spawnServer({ TRUST_PROXY: '192.0.2.1' })
  const { call } = await clientOfProcess(server)
  await call('GET', '/a.json')
  expect(server.output()).not.toContain('X-Forwarded-For')
  for (const client of ['203.0.113.5', '203.0.113.6']) {
    await call('GET', '/a.json', { headers: { 'X-Forwarded-For': client } })
  }
  await server.stop()
  const told = server
    .output()
    .split('\n')
    .filter((line) => line.includes('X-Forwarded-For'))
  expect(told).toHaveLength(1)
  expect(told[0]).toContain('127.0.0.1')
})

describe('a secret that somebody has chosen', () => {
  test.each([
    ['is short', { APP_SECRET: SHORT, SMS_KEY: SHORT }, ['super secret', 'SMS key']],
    ['is long', { APP_SECRET: LONG, SMS_KEY: LONG }, []],
    ['is not set', {}, []],
  ])('%s', async (_, settings, names) => {
    await using server = await spawnServer(settings)
    const told = server
      .output()
      .split('\n')
      .filter((line) => line.includes('characters: use 32 or more'))
    expect(told).toHaveLength(names.length)
    for (const name of names) {
      expect(told.join('\n')).toContain(`the ${name} of application \\"app\\" has ${SHORT.length} characters`)
    }
    expect(server.output()).not.toContain(SHORT)
  })

  test('by dhole apps', async () => {
    await using dir = await tempDir()
    await runDhole(['apps', 'add', 'shop', '--data-dir', dir.path])
    const rotate = (secret: string) =>
      runDhole(['apps', 'rotate', 'shop', '--yes', '--secret', secret, '--data-dir', dir.path])
    expect((await rotate(LONG)).stderr).toBe('')
    expect((await rotate(SHORT)).stderr).toBe(
      `dhole: the super secret of application "shop" has ${SHORT.length} characters: use 32 or more that are random\n`,
    )
    const server = await spawnServer({ DATA_DIR: dir.path })
    const { call } = await clientOfProcess(server)
    expect(server.output()).not.toContain('characters: use')
    await call('GET', '/a.json?app=shop')
    await server.stop()
    expect(server.output()).toContain(`the super secret of application \\"shop\\" has ${SHORT.length} characters`)
  })
})
