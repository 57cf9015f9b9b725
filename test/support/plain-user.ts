const NOBODY = 65_534
const MAIN = Bun.fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url))
const SETPRIV = ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups']

/** Command that starts another as a user to whom permissions apply; `undefined` where that cannot be. */
export function asPlainUser(): readonly string[] | undefined {
  if (process.getuid?.() !== 0) return []
  const tried =
    Bun.which('setpriv') === null ? undefined : Bun.spawnSync([...SETPRIV, process.execPath, MAIN, '--version'])
  if (tried?.exitCode === 0) return SETPRIV
  process.stderr.write('no setpriv, or a checkout that only root can read: faults of permissions are not tried\n')
  return undefined
}
