import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { FileAdministration } from '../../../src/admin/file-administration.ts'
import type { Listening } from '../../support/event-source.ts'
import { type ServerProcess, spawnServer } from '../../support/server-process.ts'
import { integrityProblems } from '../../unit/store/integrity.ts'
import type { ApplicationName, FuzzKeys } from './requests.ts'

/** An application that nobody but the model writes to. */
export const MODEL = 'model'

const SECRET = 'a secret for all that is thrown at it'
const SMS_KEY = 'a key for all that is signed for it'
/** Small bounds, so that they are met. */
const SETTINGS: Readonly<Record<string, string>> = {
  APP_SECRET: SECRET,
  SMS_KEY,
  SMS_INTERVAL_MS: '0',
  LOG_LEVEL: 'warn',
  MAX_WRITE_BYTES: '100000',
  MAX_LEAF_BYTES: '20000',
  FAILED_CREDENTIALS: '0',
  INDEX_IDLE_MS: '2000',
  CHANGE_LOG_COUNT: '500',
}
const RULES = `{"rules": {
  "private": { "$uid": { ".read": "auth.uid === $uid", ".write": "auth.uid === $uid" } },
  "checked": { ".read": true, ".write": true, "$any": { ".validate": "newData.isString() && newData.val().length < 9" } },
  "late": { ".read": "now > 0 && root.child('open').val() === true", ".write": "auth !== null" },
  "open": { ".read": true, ".write": true }
}}`

/** `dhole serve` with several applications, and what there is to know of it. */
export interface FuzzService {
  readonly server: ServerProcess
  readonly listening: Listening
  keys(name: ApplicationName): FuzzKeys
  /** What no answer may tell. */
  readonly secrets: readonly string[]
  /** Stops it as an operator does. @returns what is wrong with what it leaves, and with what it said */
  finish(): Promise<string[]>
  /** Ends it and removes its folder, whatever its state. */
  dispose(): Promise<void>
}

export async function startService(): Promise<FuzzService> {
  const dataDir = await mkdtemp(join(tmpdir(), 'dhole-fuzz-'))
  const all = new Map<string, FuzzKeys>([['app', { secret: SECRET, smsKey: SMS_KEY }]])
  const files = new FileAdministration(dataDir, { id: 'app', fixedKeys: [], isOpen: true })
  all.set('fire', files.add('fire', { open: true, profile: 'firebase', indexPolicy: 'require' }))
  all.set('locked', files.add('locked', {}))
  all.set('ruled', files.add('ruled', { rules: RULES }))
  all.set(MODEL, files.add(MODEL, { open: true, limits: { maxWriteBytes: 10_000_000, maxLeafBytes: 1_000_000 } }))
  const rules = join(dataDir, 'rules.json')
  await writeFile(rules, '{"rules": {".read": true, ".write": true}}')
  const server = await spawnServer({ ...SETTINGS, DATA_DIR: dataDir, RULES: rules })
  const listening = {
    port: Number(new URL(server.url).port),
    ca: await readFile(server.certificate, 'utf8'),
  }
  return {
    server,
    listening,
    keys: (name) => all.get(name) ?? { secret: '', smsKey: '' },
    secrets: [...[...all.values()].flatMap(({ secret, smsKey }) => [secret, smsKey]), dataDir, 'PRIVATE KEY'],
    finish: async () => {
      server.kill('SIGTERM')
      const status = await server.exited
      const problems = status === 0 ? [] : [`the server ended with status ${status}`]
      problems.push(...logProblems(server.output()))
      for (const name of await readdir(join(dataDir, 'apps'))) {
        if (!name.endsWith('.sqlite')) continue
        problems.push(...integrityProblems(join(dataDir, 'apps', name)).map((problem) => `${name}: ${problem}`))
      }
      return problems
    },
    dispose: async () => {
      await server.stop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

/** A warning about what a client has sent: the requests name addresses. */
const EXPECTED = 'a peer that TRUST_PROXY does not name has sent X-Forwarded-For'

/** Whatever the log says is wrong: nothing was to go wrong inside. */
export function logProblems(output: string): string[] {
  return output
    .split('\n')
    .filter((line) => !line.includes(EXPECTED))
    .filter((line) => line.includes('"level":') || /^error|Error:/.test(line))
    .map((line) => `the server said ${line.slice(0, 500)}`)
}
