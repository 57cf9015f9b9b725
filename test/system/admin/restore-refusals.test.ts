import { Database as Client } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { cp, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { addApplication, runDhole } from '../../support/dhole-command.ts'
import { tempDir } from '../../support/temp-dir.ts'
import { dhole, flip, serve, treesIn } from './service.ts'

describe('what cannot be restored', () => {
  /** What is done to a backup, how it is restored, and what is said. */
  const rows: readonly {
    readonly name: string
    readonly spoil: (backup: string) => void
    readonly args?: readonly string[]
    readonly err: RegExp
  }[] = [
    { name: 'no manifest', spoil: (backup) => writeFileSync(join(backup, 'manifest.json'), '{'), err: /is no backup/ },
    { name: 'a newer form', spoil: (backup) => edit(backup, { format: 2 }), err: /a newer version made this backup/ },
    {
      name: 'a wrong form',
      spoil: (backup) => edit(backup, { applications: {} }),
      err: /manifest\.json: \/applications /,
    },
    {
      name: 'a name that leads elsewhere',
      spoil: (backup) => edit(backup, { applications: [{ id: '../x' }] }),
      err: /no name of an application/,
    },
    { name: 'another byte', spoil: (backup) => flip(join(backup, 'app.sqlite')), err: /its checksum is wrong/ },
    {
      name: 'a file too few',
      spoil: (backup) => writeFileSync(join(backup, 'app.sqlite'), ''),
      err: /its checksum is wrong/,
    },
    {
      name: 'other settings',
      spoil: (backup) => writeFileSync(join(backup, 'shop.json'), '{"open":true}'),
      args: ['--app', 'shop'],
      err: /shop\.json differs from the backed up file/,
    },
    {
      name: 'an application that is not in it',
      spoil: () => {},
      args: ['--app', 'none'],
      err: /the backup has no application "none"/,
    },
    {
      name: 'an application that nobody knows',
      spoil: (backup) => edit(backup, { applications: [{ id: 'lost' }] }),
      err: /"lost" is not registered here/,
    },
    { name: 'a file without its application', spoil: () => {}, args: ['FILE'], err: /name its application with --app/ },
    {
      name: 'a file of a newer version',
      spoil: (backup) => sql(backup, 'UPDATE __drizzle_migrations SET created_at = created_at * 2'),
      args: ['FILE', '--app', 'app'],
      err: /newer version/,
    },
    {
      name: 'a file whose closure is wrong',
      spoil: (backup) => sql(backup, 'INSERT INTO closure VALUES (7, 8, 9)'),
      args: ['FILE', '--app', 'app'],
      err: /a closure row has no meaning/,
    },
    {
      name: 'a trigger',
      spoil: (backup) =>
        sql(
          backup,
          "CREATE TRIGGER t AFTER INSERT ON change BEGIN UPDATE meta SET value = 'x' WHERE name = 'setting:rules'; END",
        ),
      args: ['FILE', '--app', 'app'],
      err: /the file has a trigger that is none of a tree/,
    },
    {
      name: 'a view',
      spoil: (backup) => sql(backup, 'CREATE VIEW v AS SELECT * FROM node'),
      args: ['FILE', '--app', 'app'],
      err: /the file has a view that is none of a tree/,
    },
    {
      name: 'a table too many',
      spoil: (backup) => sql(backup, 'CREATE TABLE node2 (x)'),
      args: ['FILE', '--app', 'app'],
      err: /the file has a table that is none of a tree/,
    },
    {
      name: 'an index that refuses writes',
      spoil: (backup) => sql(backup, 'CREATE UNIQUE INDEX one ON node (kind) WHERE kind = 4'),
      args: ['FILE', '--app', 'app'],
      err: /the file has an index that is none of a tree/,
    },
    {
      name: 'a table with a constraint',
      spoil: (backup) =>
        sql(
          backup,
          'DROP TABLE meta; CREATE TABLE meta (name text PRIMARY KEY NOT NULL, value text CHECK (value > 0))',
        ),
      args: ['FILE', '--app', 'app'],
      err: /a table is not what it is in a tree/,
    },
    {
      name: 'a table too few',
      spoil: (backup) => sql(backup, 'DROP TABLE detached'),
      args: ['FILE', '--app', 'app'],
      err: /a table is missing/,
    },
    {
      name: 'a file that is no database',
      spoil: (backup) => writeFileSync(join(backup, 'app.sqlite'), 'x'.repeat(5000)),
      args: ['FILE', '--app', 'app'],
      err: /not a database/,
    },
    {
      name: 'a database of something else',
      spoil: (backup) => other(join(backup, 'app.sqlite')),
      args: ['FILE', '--app', 'app'],
      err: /no file of a tree/,
    },
    { name: 'nothing', spoil: () => {}, args: ['/no/such/place'], err: /there is no \/no\/such\/place/ },
  ]

  test('is told in one line, and nothing is touched', async () => {
    await using dir = await tempDir()
    await addApplication(dir.file('data'), 'shop')
    await using server = await serve(dir.file('data'))
    await server.ask('PUT', '/a.json', 'as before')
    await dhole('backup', dir.file('backup'), '--data-dir', server.dataDir)
    await mkdir(dir.file('empty'))
    for (const { name, spoil, args = [], err } of rows) {
      const backup = dir.file(`spoiled ${name}`)
      await cp(dir.file('backup'), backup, { recursive: true })
      spoil(backup)
      const isElsewhere = args[0] === 'FILE' || args[0]?.startsWith('/') === true
      const source = args[0] === 'FILE' ? join(backup, 'app.sqlite') : isElsewhere ? (args[0] ?? '') : backup
      const rest = isElsewhere ? args.slice(1) : args
      const dataDir = args.includes('shop') ? dir.file('empty') : server.dataDir
      const { status, stdout, stderr } = await runDhole(['restore', '--yes', source, ...rest, '--data-dir', dataDir])
      expect({ name, status, stdout }).toEqual({ name, status: 2, stdout: '' })
      expect(stderr, name).toMatch(err)
      expect(stderr.split('\n'), name).toHaveLength(2)
      expect(treesIn(server.dataDir)).toEqual(['app.sqlite', 'shop.json'])
      expect(await server.ask('GET', '/a.json')).toBe('as before')
    }
  }, 120_000)
})

function edit(backup: string, change: Readonly<Record<string, unknown>>): void {
  const file = join(backup, 'manifest.json')
  const manifest = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>
  writeFileSync(file, JSON.stringify({ ...manifest, ...change }))
}

function sql(backup: string, statement: string): void {
  const client = new Client(join(backup, 'app.sqlite'))
  client.run(statement)
  client.close()
}

function other(file: string): void {
  writeFileSync(file, '')
  const client = new Client(file)
  client.run('CREATE TABLE recipes(name)')
  client.close()
}
