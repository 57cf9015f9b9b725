import { chownSync, existsSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Where distributions put the versions of PostgreSQL. */
const FOLDER = '/usr/lib/postgresql'
/** PostgreSQL refuses to run as root. */
export const NOBODY = 65_534
const IS_ROOT = process.getuid?.() === 0

/** What a command of PostgreSQL begins with, so that it does not run as root. */
export const AS_USER: readonly string[] = IS_ROOT
  ? ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups']
  : []

/** Gives a folder to the user that PostgreSQL runs as. */
export function giveToUser(folder: string): void {
  if (IS_ROOT) chownSync(folder, NOBODY, NOBODY)
}

/** The folder of `initdb` and `postgres`; `undefined` where none is installed. */
export function programs(): string | undefined {
  const onPath = Bun.which('postgres')
  if (onPath !== null && existsSync(join(dirname(realpathSync(onPath)), 'initdb'))) return dirname(realpathSync(onPath))
  if (!existsSync(FOLDER)) return undefined
  const found = [...new Bun.Glob('*/bin/initdb').scanSync({ cwd: FOLDER })]
  const newest = found.toSorted((left, right) => Number.parseInt(right, 10) - Number.parseInt(left, 10))[0]
  return newest === undefined ? undefined : join(FOLDER, dirname(newest))
}
