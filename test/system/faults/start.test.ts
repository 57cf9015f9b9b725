import { Database as Client } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { generateKeyPairSync } from 'node:crypto'
import { chmodSync, cpSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { dirname, join } from 'node:path'
import { drizzle } from 'drizzle-orm/bun-sqlite'
import { migrate } from 'drizzle-orm/bun-sqlite/migrator'
import { certificateFor, putCertificate } from '../../support/certificates.ts'
import { spawnDhole } from '../../support/dhole-command.ts'
import { someInLanes } from '../../support/lane.ts'
import { asPlainUser } from '../../support/plain-user.ts'
import { spawnServer } from '../../support/server-process.ts'
import { type TempDir, tempDir } from '../../support/temp-dir.ts'
import { isDocumented } from './documented.ts'

const MIGRATIONS = Bun.fileURLToPath(new URL('../../../drizzle/sqlite', import.meta.url))

/** A port that somebody else has. */
let taken: Server
let takenPort = ''
/** A folder that a server has run on. */
let ranOnce: TempDir

beforeAll(async () => {
  ranOnce = await tempDir()
  taken = createServer()
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
  const address = taken.address()
  takenPort = String(typeof address === 'object' ? address?.port : undefined)
})

afterAll(async () => {
  taken.close()
  await ranOnce[Symbol.asyncDispose]()
})

type Settings = Readonly<Record<string, string>>

/** Why a server does not start. */
interface Fault {
  readonly name: string
  /** Brings it about in a folder. @returns settings beside `DATA_DIR` */
  readonly prepare: (dir: TempDir) => Settings | Promise<Settings>
  /** All that is printed, but for `dhole: `. */
  readonly says: (dir: TempDir) => string | RegExp
  /** Whether it is one of permissions, which root does not have. */
  readonly plainUser?: true
}

/** Where the tree of the default application is. */
function tree(dir: TempDir): string {
  return dir.file('apps/app.sqlite')
}

let complete: Promise<string> | undefined

/** Makes a folder that a server has run on once. */
async function runOnce(dir: TempDir): Promise<void> {
  complete ??= runServer()
  cpSync(await complete, dir.path, { recursive: true })
}

async function runServer(): Promise<string> {
  const server = await spawnServer({ DATA_DIR: ranOnce.path })
  server.kill('SIGTERM')
  await server.exited
  return ranOnce.path
}

function putFile(file: string, text: string | Uint8Array): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

/** Certificate and key in two files of a folder. */
async function putPair(dir: TempDir): Promise<{ readonly TLS_CERT: string; readonly TLS_KEY: string }> {
  const [TLS_CERT, TLS_KEY] = [dir.file('certificate.pem'), dir.file('key.pem')]
  putCertificate(await certificateFor(), TLS_CERT, TLS_KEY)
  return { TLS_CERT, TLS_KEY }
}

function alter(file: string, ...statements: readonly string[]): void {
  const client = new Client(file)
  for (const statement of statements) client.run(statement)
  client.close()
}

const NEEDS_ACCESS = 'the user of this process needs to read and write it and its folder'

const faults: readonly Fault[] = [
  {
    name: 'a port in use',
    prepare: () => ({ PORT: takenPort }),
    says: () => `PORT: port ${takenPort} of 127.0.0.1 is in use: stop who has it, or set another`,
  },
  {
    name: 'a plain port in use',
    prepare: () => ({ HTTP_PORT: takenPort }),
    says: () => `HTTP_PORT: port ${takenPort} of 127.0.0.1 is in use: stop who has it, or set another`,
  },
  {
    name: 'a host of another machine',
    prepare: () => ({ HOST: '203.0.113.7' }),
    says: () => 'HOST: 203.0.113.7 is no address of this machine',
  },
  {
    name: 'a folder that is a file',
    prepare: (dir) => {
      putFile(dir.file('file'), '')
      return { DATA_DIR: dir.file('file') }
    },
    says: (dir) => `DATA_DIR: cannot make the folder ${dir.file('file')}: it is no folder`,
  },
  {
    name: 'a file where the folder of the trees is',
    prepare: (dir) => {
      putFile(dir.file('apps'), '')
      return {}
    },
    says: (dir) => `DATA_DIR: ${dir.file('apps')} is no folder`,
  },
  {
    name: 'a folder that cannot be written',
    plainUser: true,
    prepare: (dir) => {
      chmodSync(dir.path, 0o555)
      return {}
    },
    says: (dir) => new RegExp(`^DATA_DIR: user \\d+ needs to read and write ${dir.path}: `),
  },
  {
    name: 'a folder that cannot be read',
    plainUser: true,
    prepare: (dir) => {
      chmodSync(dir.path, 0o333)
      return {}
    },
    says: (dir) => new RegExp(`^DATA_DIR: user \\d+ needs to read and write ${dir.path}: `),
  },
  {
    name: 'a tree of another user',
    plainUser: true,
    prepare: async (dir) => {
      await runOnce(dir)
      for (const folder of ['.', 'apps', 'secrets', 'tls']) chmodSync(dir.file(folder), 0o777)
      chmodSync(tree(dir), 0o444)
      chmodSync(`${tree(dir)}-lock`, 0o666)
      for (const name of ['app.secret', 'app.sms']) chmodSync(dir.file(`secrets/${name}`), 0o644)
      chmodSync(dir.file('operator.secret'), 0o644)
      for (const name of ['certificate.pem', 'certificate-key.pem']) chmodSync(dir.file(`tls/${name}`), 0o644)
      return {}
    },
    says: (dir) => `cannot open ${tree(dir)}: ${NEEDS_ACCESS}`,
  },
  {
    name: 'a folder where the tree is',
    prepare: (dir) => {
      mkdirSync(tree(dir), { recursive: true })
      return {}
    },
    says: (dir) => `cannot open ${tree(dir)}: ${NEEDS_ACCESS}`,
  },
  {
    name: 'a tree that is no database',
    prepare: (dir) => {
      putFile(tree(dir), 'a text of mine, '.repeat(500))
      return {}
    },
    says: (dir) => `cannot open ${tree(dir)}: it is no database: move it away, or restore it from a backup`,
  },
  {
    name: 'a tree that is the database of another program',
    prepare: (dir) => {
      mkdirSync(dir.file('apps'))
      alter(tree(dir), 'CREATE TABLE invoice (number INTEGER)')
      return {}
    },
    says: (dir) => `cannot open ${tree(dir)}: it is the database of another program`,
  },
  {
    name: 'a tree of a later version',
    prepare: async (dir) => {
      await runOnce(dir)
      alter(tree(dir), "INSERT INTO __drizzle_migrations (hash, created_at) VALUES ('of the future', 4000000000000)")
      return {}
    },
    says: (dir) =>
      `cannot open ${tree(dir)}: a later version of dhole has written it: use that version, or restore a backup made before`,
  },
  {
    name: 'a tree that is damaged at its beginning',
    prepare: async (dir) => {
      await runOnce(dir)
      const bytes = new Uint8Array(await Bun.file(tree(dir)).arrayBuffer())
      bytes.fill(0xa5, 100, 4096)
      putFile(tree(dir), bytes)
      return {}
    },
    says: (dir) => `cannot open ${tree(dir)}: it is damaged: restore it from a backup`,
  },
  {
    name: 'a tree that was cut off',
    prepare: async (dir) => {
      await runOnce(dir)
      truncateSync(tree(dir), 6000)
      return {}
    },
    says: (dir) => `cannot open ${tree(dir)}: it is damaged: restore it from a backup`,
  },
  {
    name: 'a tree that is gone',
    prepare: async (dir) => {
      await runOnce(dir)
      rmSync(tree(dir))
      return {}
    },
    says: (dir) =>
      `${tree(dir)} is gone, and was there before: restore it, or remove ${tree(dir)}-lock too to begin with an empty tree`,
  },
  {
    name: 'an empty secret',
    prepare: (dir) => {
      putFile(dir.file('secrets/app.secret'), '')
      return {}
    },
    says: (dir) => `${dir.file('secrets/app.secret')} holds no secret of at least 16 characters`,
  },
  {
    name: 'a certificate that is not there',
    prepare: async (dir) => ({ ...(await putPair(dir)), TLS_CERT: dir.file('none.pem') }),
    says: (dir) => new RegExp(`^TLS_CERT: cannot read ${dir.file('none.pem')}: ENOENT`),
  },
  {
    name: 'a certificate that is none',
    prepare: async (dir) => {
      const pair = await putPair(dir)
      putFile(pair.TLS_CERT, 'no certificate')
      return pair
    },
    says: (dir) => `TLS_CERT: ${dir.file('certificate.pem')} holds no certificate in PEM form`,
  },
  {
    name: 'a key that is none',
    prepare: async (dir) => {
      const pair = await putPair(dir)
      putFile(pair.TLS_KEY, 'no key')
      return pair
    },
    says: (dir) => `TLS_KEY: ${dir.file('key.pem')} holds no private key in PEM form`,
  },
  {
    name: 'the key of another certificate',
    prepare: async (dir) => {
      const pair = await putPair(dir)
      putFile(pair.TLS_KEY, (await certificateFor()).key)
      return pair
    },
    says: (dir) => `TLS_KEY: ${dir.file('key.pem')} is not the key of ${dir.file('certificate.pem')}`,
  },
  {
    name: 'an encrypted key',
    prepare: async (dir) => {
      const pair = await putPair(dir)
      const { privateKey } = generateKeyPairSync('ec', {
        namedCurve: 'P-256',
        publicKeyEncoding: { type: 'spki', format: 'pem' },
        privateKeyEncoding: { type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'unknown' },
      })
      putFile(pair.TLS_KEY, privateKey)
      return pair
    },
    says: (dir) =>
      `TLS_KEY: ${dir.file('key.pem')} is encrypted: write it down without a passphrase, with openssl pkey`,
  },
  {
    name: 'a rules file with a mistake',
    prepare: (dir) => {
      putFile(dir.file('rules.json'), '{"rules": {".read": "auth != nul"}}')
      return { RULES: dir.file('rules.json') }
    },
    says: (dir) => new RegExp(`^RULES: ${dir.file('rules.json')}: `),
  },
  {
    name: 'wrong settings',
    prepare: () => ({ PORT: 'many', MAX_READ_MS: '0' }),
    says: () =>
      /^PORT: expected a whole number from 0 to 65535, found "many"\nMAX_READ_MS: expected a time such as 90s or 10m, or a whole number of at least 1, found "0"$/,
  },
]

const through = asPlainUser()

describe('what keeps a server from starting is said in one line, with exit status 2', () => {
  for (const { name, prepare, says, plainUser } of someInLanes(faults, 6)) {
    test.skipIf(plainUser === true && through === undefined)(name, async () => {
      await using dir = await tempDir()
      chmodSync(dir.path, 0o755)
      const settings = await prepare(dir)
      const environment = { PORT: '0', DATA_DIR: dir.path, ...settings }
      const { status, stderr } = await spawnDhole(['serve'], environment, '', plainUser === true ? through : [])
      const expected = says(dir)
      const said = stderr.replace(/^dhole: /, '').replace(/\n$/, '')
      if (typeof expected === 'string') expect(said).toBe(expected)
      else expect(said).toMatch(expected)
      expect([said, isDocumented(said)]).toEqual([said, true])
      expect(stderr).not.toMatch(/^\s+at /m)
      expect(status).toBe(2)
      chmodSync(dir.path, 0o755)
    })
  }
})

test('a certificate that has expired is served, with a warning', async () => {
  await using dir = await tempDir()
  const pair = await putPair(dir)
  putCertificate(await certificateFor(-1), pair.TLS_CERT, pair.TLS_KEY)
  await using server = await spawnServer(pair)
  expect(server.output()).toContain(`the certificate ${pair.TLS_CERT} has expired: clients refuse it`)
  expect(isDocumented(server.output())).toBe(true)
})

test('a tree of an earlier version is brought up to date', async () => {
  await using dir = await tempDir()
  const migrationsFolder = dir.file('migrations')
  cpSync(MIGRATIONS, migrationsFolder, { recursive: true })
  const journal = join(migrationsFolder, 'meta/_journal.json')
  const { entries, ...others } = JSON.parse(readFileSync(journal, 'utf8')) as { readonly entries: readonly unknown[] }
  expect(entries.length).toBeGreaterThan(1)
  writeFileSync(journal, JSON.stringify({ ...others, entries: entries.slice(0, 1) }))
  mkdirSync(dir.file('data/apps'), { recursive: true })
  const first = new Client(dir.file('data/apps/app.sqlite'))
  migrate(drizzle(first), { migrationsFolder })
  first.close()
  const server = await spawnServer({ DATA_DIR: dir.file('data') })
  server.kill('SIGTERM')
  expect(await server.exited).toBe(0)
  const migrated = new Client(dir.file('data/apps/app.sqlite'))
  expect(migrated.query('SELECT count(*) FROM __drizzle_migrations').values()).toEqual([[entries.length]])
  migrated.close()
})
