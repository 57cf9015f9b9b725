import '../../support/long-lane.ts'
import { describe, expect, test } from 'bun:test'
import { existsSync, writeFileSync } from 'node:fs'
import { type CopyOptions, copyApplications } from '../../../src/admin/copy/copy.ts'
import type { CopyStep } from '../../../src/admin/copy/copy-tree.ts'
import { PostgresDatabase } from '../../../src/store/postgres/postgres-database.ts'
import { runDhole } from '../../support/dhole-command.ts'
import { databaseUrl, freshSchema, whyNoPostgres } from '../../support/postgres/cluster.ts'
import { put } from '../../support/store.ts'
import { tempDir } from '../../support/temp-dir.ts'
import { fill, learn, withApplication } from './rich-tree.ts'

/** A password that no message may show; the server of the tests trusts everybody. */
const PASSWORD = 'not-to-be-shown'

interface Scene extends AsyncDisposable {
  readonly folder: string
  readonly server: { readonly url: string; readonly schema: string }
  readonly env: Readonly<Record<string, string>>
  readonly options: CopyOptions
  copy(...args: readonly string[]): ReturnType<typeof runDhole>
}

/** A folder with an application, and an empty schema. */
async function scene(): Promise<Scene> {
  const dir = await tempDir()
  const folder = dir.file('data')
  const url = (databaseUrl() ?? '').replace(/\/\/([^:@/]+)(:[^@/]*)?@/, `//$1:${PASSWORD}@`)
  const server = { url, schema: freshSchema() }
  const env = { DATABASE_SCHEMA: server.schema }
  await withApplication({ folder }, 'app', async ({ tree }) => {
    await put(tree, '/a', 1)
  })
  return {
    folder,
    server,
    env,
    options: {
      from: { kind: 'folder', folder },
      to: { kind: 'database', server },
      ids: undefined,
      keepSource: false,
    },
    copy: (...args) => runDhole(['copy', '--from', folder, '--to', url, ...args], env),
    [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose](),
  }
}

/** The one line of an error. */
const line = (pattern: RegExp) => ({ stdout: '', stderr: expect.stringMatching(pattern) })

describe.skipIf(whyNoPostgres !== undefined)(whyNoPostgres ?? 'dhole copy refuses', () => {
  test('what is not confirmed, and a dry run changes nothing', async () => {
    await using at = await scene()
    expect(await at.copy()).toMatchObject({ status: 2, ...line(/^dhole: not confirmed.*\n$/) })
    expect(await at.copy('--dry-run')).toMatchObject({
      status: 0,
      stderr: '',
      stdout: expect.stringMatching(/^"app": would be copied to .*\n$/),
    })
    const { url, schema } = at.server
    const sql = new Bun.SQL({ url, max: 1 } as Bun.SQL.Options)
    const found = await sql`SELECT count(*)::int AS schemas FROM pg_namespace WHERE nspname = ${schema}`
    await sql.close()
    expect(found[0].schemas).toBe(0)
    await learn({ folder: at.folder }, 'app')
  })

  test('two places of one kind, and applications that are not there', async () => {
    await using at = await scene()
    const same = await runDhole(['copy', '--from', at.folder, '--to', `${at.folder}2`, '--yes'])
    expect(same).toMatchObject({ status: 2, ...line(/^dhole: one of --from and --to is a folder.*\n$/) })
    expect(await at.copy('--yes', '--app', 'other')).toMatchObject({
      status: 2,
      ...line(/^dhole: application "other": it is not in .*\n$/),
    })
    expect(await at.copy('--yes', '--app', '../x')).toMatchObject({
      status: 2,
      ...line(/no name of an application\n$/),
    })
  })

  test('a tree that another process has open', async () => {
    await using at = await scene()
    await withApplication({ folder: at.folder }, 'app', async () => {
      expect(await at.copy('--yes')).toMatchObject({
        status: 2,
        ...line(/^dhole: application "app": .* is in use by .*\n$/),
      })
    })
    expect(await at.copy('--yes')).toMatchObject({ status: 0 })
  })

  test('an application that the target has already; a kept source goes on, and its copy has a history of its own', async () => {
    await using at = await scene()
    expect(await at.copy('--keep-source')).toMatchObject({ status: 0, stderr: '' })
    const [here, there] = [await learn({ folder: at.folder }, 'app'), await learn({ server: at.server }, 'app')]
    expect(there).toEqual({ ...here, position: { ...here.position, epoch: there.position.epoch } })
    expect(there.position.epoch).not.toBe(here.position.epoch)
    expect(await at.copy('--yes')).toMatchObject({
      status: 2,
      ...line(/^dhole: application "app": it is in .* already\n$/),
    })
    const back = await runDhole(['copy', '--from', at.server.url, '--to', at.folder, '--yes'], at.env)
    expect(back).toMatchObject({ status: 2, ...line(/^dhole: application "app": it is in .* already\n$/) })
    expect((await learn({ folder: at.folder }, 'app')).position).toEqual(here.position)
  })

  test('to use a file that was moved, and shows no password', async () => {
    await using at = await scene()
    expect(await at.copy('--yes')).toMatchObject({ status: 0, stderr: '' })
    const moved = /^dhole: .*was moved to the schema test_\w+ of the database .*\n$/
    const shown = [
      await runDhole(['export', '--data-dir', at.folder]),
      await runDhole(
        ['copy', '--from', at.folder, '--to', at.server.url, '--yes', '--keep-source', '--app', 'app'],
        at.env,
      ),
    ]
    for (const each of shown) {
      expect(each.stdout).toBe('')
      expect(each.stderr).toMatch(moved)
      expect(each.stderr).not.toContain(PASSWORD)
    }
    const doctor = await runDhole(['doctor', '--data-dir', at.folder])
    expect(doctor.stdout).toMatch(/tree "app".*it was moved to the schema/)
    expect(doctor.stdout).not.toContain(PASSWORD)
  })

  test('to use a tree that was moved out of the database', async () => {
    await using at = await scene()
    await using dir = await tempDir()
    await at.copy('--yes')
    const back = await runDhole(['copy', '--from', at.server.url, '--to', dir.file('back'), '--yes'], at.env)
    expect(back).toMatchObject({ status: 0, stderr: '' })
    expect(learn({ server: at.server }, 'app')).rejects.toThrow(`was moved to ${dir.file('back')}`)
    await learn({ folder: dir.file('back') }, 'app')
    const doctor = await runDhole(['doctor', '--full', '--data-dir', at.folder], {
      ...at.env,
      DATABASE_URL: at.server.url,
    })
    expect(doctor.stdout).toContain(`it was moved to ${dir.file('back')}`)
  })

  test('neither the way back, which replaces what was left there', async () => {
    await using at = await scene()
    const there = () => at.copy('--yes')
    const home = () => runDhole(['copy', '--from', at.server.url, '--to', at.folder, '--yes'], at.env)
    const before = await learn({ folder: at.folder }, 'app')
    for (const step of [there, home, there, home]) expect(await step()).toMatchObject({ status: 0, stderr: '' })
    expect(await learn({ folder: at.folder }, 'app')).toEqual(before)
    expect(learn({ server: at.server }, 'app')).rejects.toThrow('was moved to')
    await using elsewhere = await scene()
    await elsewhere.copy('--yes')
    const other = await runDhole(['copy', '--from', at.folder, '--to', elsewhere.server.url, '--yes'], elsewhere.env)
    expect(other).toMatchObject({ status: 2, ...line(/it is in .* already\n$/) })
    const onto = ['copy', '--from', elsewhere.server.url, '--to', elsewhere.folder, '--yes']
    expect(await runDhole(onto, elsewhere.env)).toMatchObject({ status: 0 })
    const third = await runDhole(['copy', '--from', at.folder, '--to', elsewhere.server.url, '--yes'], elsewhere.env)
    expect(third).toMatchObject({
      status: 2,
      ...line(/has a tree of that name that was moved to .*: remove that first\n$/),
    })
  })

  test('to go on when the database ends its snapshot, unless all rows were read', async () => {
    await using at = await scene()
    await using dir = await tempDir()
    await using database = await opened(at)
    await at.copy('--yes')
    const before = await learn({ server: at.server }, 'app')
    const end = () =>
      database.lanes.query(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE state = 'idle in transaction' AND pid <> pg_backend_pid()",
      )
    const copyEndedAt = (at: CopyStep, to: string) => {
      const options = { ...reversed, to: { kind: 'folder' as const, folder: to } }
      return copyApplications(options, { onStep: async (_, step) => (step === at ? void (await end()) : undefined) })
    }
    const reversed: CopyOptions = { ...at.options, from: at.options.to, to: at.options.from }
    const failing = copyEndedAt('begun', dir.file('back'))
    expect(failing).rejects.toThrow('application "app": ')
    await failing.catch(() => {})
    expect(existsSync(dir.file('back/apps/app.sqlite.copying'))).toBe(false)
    await copyEndedAt('copied', dir.file('back'))
    expect(await learn({ folder: dir.file('back') }, 'app')).toEqual(before)
  })

  test('a database that cannot be used, and shows no password', async () => {
    await using at = await scene()
    const away = `postgres://dhole:${PASSWORD}@127.0.0.1:1/none`
    for (const args of [['--dry-run'], ['--yes']]) {
      const { status, stdout, stderr } = await runDhole(['copy', '--from', at.folder, '--to', away, ...args])
      expect([status, stdout]).toEqual([2, ''])
      expect(stderr).toMatch(/^dhole: cannot use the database 127\.0\.0\.1:1\/none: .*\n$/)
      expect(stderr).not.toContain(PASSWORD)
    }
  })

  test('an empty address', async () => {
    expect(await runDhole(['copy', '--from', 'data', '--to', '', '--yes'])).toMatchObject({
      status: 2,
      ...line(/^dhole: --to is empty: .*\n$/),
    })
  })

  test('a tree of a database that is written meanwhile, and leaves no copy', async () => {
    await using at = await scene()
    await using dir = await tempDir()
    await at.copy('--yes')
    const options: CopyOptions = {
      ...at.options,
      from: at.options.to,
      to: { kind: 'folder', folder: dir.file('back') },
    }
    const writing = copyApplications(options, {
      onStep: async (_, step) => {
        if (step !== 'copied') return
        await withApplication({ server: at.server }, 'app', ({ tree }) => put(tree, '/late', true))
      },
    })
    expect(writing).rejects.toThrow('application "app": it was written while it was copied')
    await writing.catch(() => {})
    expect(existsSync(dir.file('back/apps/app.sqlite.copying'))).toBe(false)
    const now = await learn({ server: at.server }, 'app')
    expect(now.value).toContain('"late":true')
    await copyApplications(options, {})
    expect(await learn({ folder: dir.file('back') }, 'app')).toEqual(now)
  })

  test('a copy whose rows are not what was read, and undoes it', async () => {
    await using at = await scene()
    await using database = await opened(at)
    const failing = copyApplications(at.options, {
      onStep: async (_, step) => {
        if (step === 'begun') await database.lanes.query("UPDATE application SET copy = 'other' WHERE is_arriving")
      },
    })
    expect(failing).rejects.toThrow(/application "app": the copy differs: \d+ rows of \w+ were read, it has 0/)
    await failing.catch(() => {})
    expect(await database.lanes.query('SELECT id FROM application')).toEqual([])
    expect(await database.lanes.query('SELECT tree FROM node UNION SELECT tree FROM log')).toEqual([])
    await copyApplications(at.options, {})
    await learn({ server: at.server }, 'app')
  })

  test('other keys of the target folder, and takes keys and settings along', async () => {
    await using at = await scene()
    await using dir = await tempDir()
    const added = await runDhole(['apps', 'add', 'shop', '--open', '--data-dir', at.folder])
    expect(added.status).toBe(0)
    await fill({ folder: at.folder }, 'shop')
    expect(await at.copy('--yes')).toMatchObject({ status: 0, stderr: '' })
    const back = ['copy', '--from', at.server.url, '--to', dir.file('back'), '--yes', '--app', 'shop']
    await runDhole(['apps', 'add', 'shop', '--data-dir', dir.file('back')])
    expect(await runDhole(back, at.env)).toMatchObject({
      status: 2,
      ...line(/secrets\/shop\.secret is another key\n$/),
    })
    await runDhole(['apps', 'remove', 'shop', '--yes', '--data-dir', dir.file('back')])
    expect(await runDhole(back, at.env)).toMatchObject({ status: 0, stderr: '' })
    for (const file of ['secrets/shop.secret', 'secrets/shop.sms', 'apps/shop.json']) {
      expect(await Bun.file(dir.file(`back/${file}`)).text()).toBe(await Bun.file(`${at.folder}/${file}`).text())
    }
  })

  test('neither a new key nor the removal of what was moved away', async () => {
    await using at = await scene()
    await using dir = await tempDir()
    await runDhole(['apps', 'add', 'shop', '--open', '--data-dir', at.folder])
    await fill({ folder: at.folder }, 'shop')
    await at.copy('--yes')
    const away = ['copy', '--from', at.server.url, '--to', dir.file('back'), '--yes', '--app', 'shop']
    expect(await runDhole(away, at.env)).toMatchObject({ status: 0, stderr: '' })
    const env = { ...at.env, DATABASE_URL: at.server.url, DATA_DIR: dir.file('other') }
    expect(await runDhole(['apps', 'rotate', 'shop', '--yes'], env)).toMatchObject({ status: 0, stderr: '' })
    expect(learn({ server: at.server }, 'shop')).rejects.toThrow('was moved to')
    const removed = await runDhole(['apps', 'remove', 'shop', '--delete-data', '--yes'], env)
    expect(removed).toMatchObject({ status: 0, stderr: '' })
    await learn({ folder: dir.file('back') }, 'shop')
  })

  test('a file in place of a folder', async () => {
    await using at = await scene()
    await using dir = await tempDir()
    await at.copy('--yes')
    writeFileSync(dir.file('file'), '')
    const onto = await runDhole(['copy', '--from', at.server.url, '--to', dir.file('file'), '--yes'], at.env)
    expect(onto).toMatchObject({ status: 2, ...line(/^dhole: .*no folder\n$/) })
  })
})

async function opened({ server }: Scene): Promise<PostgresDatabase & AsyncDisposable> {
  const database = await PostgresDatabase.open(server)
  return Object.assign(database, { [Symbol.asyncDispose]: () => database.close() })
}
