import { describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { openSource } from '../../support/event-source.ts'
import { longTest } from '../../support/lane.ts'
import { whyNoPostgres } from '../../support/postgres/cluster.ts'
import { rotated, withTwoServers } from './two-servers.ts'

describe.skipIf(whyNoPostgres !== undefined)(whyNoPostgres ?? 'two servers on one database', () => {
  const servers = withTwoServers({ FAILED_CREDENTIALS: '0' })
  const both = () => [servers.one, servers.two] as const
  const statusOf = async (at: 0 | 1, target: string) => (await both()[at].call('GET', target)).status

  test('that start at once have the same keys, which one of them has made', async () => {
    const { direct } = servers
    const token = (await direct('token', '--app', 'app', '--admin')).stdout.trim()
    expect(await statusOf(0, `/.settings/rules.json?auth=${token}`)).toBe(200)
    expect(await statusOf(1, `/.settings/rules.json?auth=${token}`)).toBe(200)
    const made = both().map(({ process }) => process.output().split('made the super secret of application').length - 1)
    expect(made.toSorted()).toEqual([0, 1])
    for (const { process } of both()) expect(existsSync(join(process.dataDir, 'secrets'))).toBe(false)
  })

  test('know an application that a command has added, and sign with the same keys', async () => {
    const { one, two, direct, throughOne, add } = servers
    const { secret, smsKey } = await add('shop')
    expect((await one.call('PUT', `/a.json?ns=shop&auth=${secret}`, { body: '1' })).status).toBe(200)
    expect((await two.call('GET', `/a.json?ns=shop&auth=${secret}`)).text).toBe('1')
    expect((await two.call('GET', '/a.json?ns=shop')).status).toBe(401)
    const token = (await throughOne('token', '--app', 'shop', '--uid', 'ann')).stdout.trim()
    expect((await two.call('GET', `/a.json?ns=shop&auth=${token}`)).status).toBe(401)
    const signature = (await direct('sms', 'sign', 'timestamp=1', '--app', 'shop')).stdout
    expect((await throughOne('sms', 'sign', 'timestamp=1', '--app', 'shop')).stdout).toBe(signature)
    expect(signature).not.toContain(smsKey)
    const again = await direct('apps', 'add', 'shop')
    expect([again.status, again.stderr]).toEqual([2, 'dhole: there is an application "shop" already\n'])
    const listed = JSON.parse((await direct('apps', 'list', '--json')).stdout) as { id: string; isDefault: boolean }[]
    expect(listed.map(({ id, isDefault }) => [id, isDefault])).toEqual([
      ['app', true],
      ['shop', false],
    ])
  })

  test.each(['direct', 'throughOne'] as const)(
    'a replaced secret (%s) is refused on both when the command ends',
    async (how) => {
      const id = `rotated-${how.toLowerCase()}`
      let { secret } = await servers.add(id)
      for (let round = 0; round < 3; round++) {
        for (const { call } of both()) {
          expect((await call('PUT', `/a.json?ns=${id}&auth=${secret}`, { body: String(round) })).status).toBe(200)
        }
        const streams = await Promise.all(both().map((server) => openSource(server, `/a.json?ns=${id}&auth=${secret}`)))
        for (const stream of streams) await stream.next()
        const fresh = rotated(await servers[how]('apps', 'rotate', id, '--yes'))
        expect([
          await statusOf(0, `/a.json?ns=${id}&auth=${secret}`),
          await statusOf(1, `/a.json?ns=${id}&auth=${secret}`),
        ]).toEqual([401, 401])
        expect([
          await statusOf(0, `/a.json?ns=${id}&auth=${fresh}`),
          await statusOf(1, `/a.json?ns=${id}&auth=${fresh}`),
        ]).toEqual([200, 200])
        for (const stream of streams) {
          expect((await stream.nextMessage())?.name).toBe('auth_revoked')
          expect(await stream.ended).toBe(true)
        }
        for (const { process } of both()) expect(process.output()).not.toContain(fresh)
        secret = fresh
      }
    },
  )

  test('the secret of the default application is replaced everywhere too', async () => {
    const before = (await servers.direct('token', '--app', 'app', '--admin')).stdout.trim()
    const fresh = rotated(await servers.throughOne('apps', 'rotate', 'app', '--yes'))
    expect([await statusOf(0, `/a.json?auth=${before}`), await statusOf(1, `/a.json?auth=${before}`)]).toEqual([
      401, 401,
    ])
    expect([await statusOf(0, `/a.json?auth=${fresh}`), await statusOf(1, `/a.json?auth=${fresh}`)]).toEqual([200, 200])
  })

  test('streams that new rules do not allow end on the other when the rules are set', async () => {
    const { one, two, add } = servers
    const { secret } = await add('ruled', '--open')
    await using bare = await openSource(two, '/a.json?ns=ruled')
    await using admin = await openSource(two, `/a.json?ns=ruled&auth=${secret}`)
    await Promise.all([bare.next(), admin.next()])
    const target = `/.settings/rules.json?ns=ruled&auth=${secret}`
    const rules = '{"rules":{".read":false,".write":true}}'
    expect((await one.call('PUT', target, { body: rules })).status).toBe(200)
    expect((await two.call('GET', '/a.json?ns=ruled')).status).toBe(401)
    expect((await bare.nextMessage())?.name).toBe('cancel')
    expect(await bare.ended).toBe(true)
    await one.call('PUT', '/a.json?ns=ruled', { body: '1' })
    expect(await admin.next()).toEqual({ kind: 'put', path: '/', data: 1 })
  })

  test('a removed application is gone on both, and a new one of that name is empty', async () => {
    const { two, one, direct, throughOne, add } = servers
    const { secret } = await add('gone', '--open')
    expect((await one.call('PUT', '/a.json?ns=gone', { body: '1' })).status).toBe(200)
    await using stream = await openSource(two, '/a.json?ns=gone')
    await stream.next()
    expect((await throughOne('apps', 'remove', 'gone', '--yes', '--delete-data')).status).toBe(0)
    expect([await statusOf(0, '/a.json?ns=gone'), await statusOf(1, '/a.json?ns=gone')]).toEqual([404, 404])
    await stream.ended
    const { secret: next } = await add('gone', '--open')
    expect(next).not.toBe(secret)
    expect((await direct('export', '--app', 'gone')).stdout.trim()).toBe('null')
  })

  longTest('the tree of an application that is removed without its data is there again', async () => {
    const { one, two, direct, throughOne, add } = servers
    await add('kept', '--open')
    await one.call('PUT', '/a.json?ns=kept', { body: '1' })
    expect((await direct('apps', 'remove', 'kept', '--yes')).status).toBe(0)
    expect([await statusOf(0, '/a.json?ns=kept'), await statusOf(1, '/a.json?ns=kept')]).toEqual([404, 404])
    const added = await throughOne('apps', 'add', 'kept', '--open', '--json')
    expect(JSON.parse(added.stdout)).toMatchObject({ hasData: true })
    const later = async () => {
      // Names without an application are remembered for a second.
      for (;;) {
        const { status, text } = await two.call('GET', '/a.json?ns=kept')
        if (status !== 404) return text
      }
    }
    expect(await later()).toBe('1')
  })

  test('commands about files refuse', async () => {
    const refused =
      'dhole: the applications are on a database server: use pg_dump or pg_basebackup, and their tools to restore\n'
    for (const run of [servers.direct, servers.throughOne]) {
      expect(await run('backup')).toEqual({ status: 2, stdout: '', stderr: refused })
      expect(await run('restore', 'x', '--yes')).toEqual({ status: 2, stdout: '', stderr: refused })
    }
  })

  test('a command of a server that is not there imports and exports beside the servers', async () => {
    const { one, two, direct } = servers
    await servers.add('moved', '--open')
    const file = join(one.process.dataDir, 'moved.json')
    await Bun.write(file, '{"a":{"b":[1,2]}}')
    expect((await direct('import', file, '--app', 'moved', '--quiet')).stderr).toBe('')
    expect((await two.call('GET', '/a.json?ns=moved')).text).toBe('{"b":[1,2]}')
    await one.call('PUT', '/c.json?ns=moved', { body: 'true' })
    expect(JSON.parse((await direct('export', '--app', 'moved')).stdout)).toEqual({ a: { b: { 0: 1, 1: 2 } }, c: true })
    expect((await direct('export', '--app', 'none')).stderr).toBe(
      'dhole: there is no application "none" in the database\n',
    )
  })
})
