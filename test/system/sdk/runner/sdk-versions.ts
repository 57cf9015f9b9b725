import { join } from 'node:path'
import type { Ability } from '../scenarios/scenario.ts'

/** A published version of an SDK, and how it is asked. */
export interface SdkVersion {
  readonly name: string
  /** Folder with a package.json, in whose `node_modules` it is. */
  readonly folder: string
  /** Of `scenarios/program.ts`. */
  readonly adapter: 'modular' | 'namespaced' | 'legacy' | 'admin'
  readonly abilities: readonly Ability[]
}

const ROOT = Bun.fileURLToPath(new URL('../../../../', import.meta.url))
const VERSIONS = join(import.meta.dir, '../versions')

/** The version that is a dependency of the tests. */
export const CURRENT: SdkVersion = {
  name: 'firebase 12.19',
  folder: ROOT,
  adapter: 'modular',
  abilities: ['increment', 'startAfter', 'tokens', 'renewal'],
}

/** All others. They are installed where they are used. */
export const OTHERS: readonly SdkVersion[] = [
  {
    name: 'firebase 12.19, compat',
    folder: 'compat-12',
    adapter: 'namespaced',
    abilities: ['increment', 'startAfter'],
  },
  {
    name: 'firebase 11.10',
    folder: 'web-11',
    adapter: 'modular',
    abilities: ['increment', 'startAfter', 'tokens', 'renewal'],
  },
  {
    name: 'firebase 9.23',
    folder: 'web-9',
    adapter: 'modular',
    abilities: ['increment', 'startAfter', 'tokens', 'renewal'],
  },
  { name: 'firebase 8.10', folder: 'web-8', adapter: 'namespaced', abilities: ['increment', 'startAfter'] },
  { name: 'firebase 7.24', folder: 'web-7', adapter: 'namespaced', abilities: ['increment'] },
  { name: 'firebase 4.13', folder: 'web-4', adapter: 'namespaced', abilities: [] },
  { name: 'firebase 2.4', folder: 'web-2', adapter: 'legacy', abilities: ['tokens'] },
  {
    name: 'firebase-admin 14.5',
    folder: 'admin-14',
    adapter: 'admin',
    abilities: ['increment', 'startAfter', 'tokens', 'renewal', 'admin'],
  },
].map((version) => ({ ...version, folder: join(VERSIONS, version.folder) }) as SdkVersion)

/** Installs it as its lock file says. What is there already is only looked at. */
export async function install({ folder, name }: SdkVersion): Promise<void> {
  if (folder === ROOT) return
  // Without the clients of other products that come with the admin SDK.
  const command = [process.execPath, 'install', '--frozen-lockfile', '--omit=optional', '--ignore-scripts', '--silent']
  const running = Bun.spawn(command, { cwd: folder, stdout: 'inherit', stderr: 'inherit' })
  if ((await running.exited) !== 0) throw new Error(`${name} was not installed`)
}
