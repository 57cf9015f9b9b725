import { runInProcess } from './in-process-command.ts'
import { inLanes } from './lane.ts'

const MAIN = Bun.fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url))

/** What a command has left behind. */
export interface CommandResult {
  /** Exit status. */
  readonly status: number
  readonly stdout: string
  readonly stderr: string
}

/**
 * Runs `dhole` with arguments, with nobody at the terminal: in this process in the short lane, because the start of a
 * process takes longer than most commands, and as its own process in the long lane. A server is always a process.
 */
export function runDhole(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  stdin: string | Uint8Array = '',
): Promise<CommandResult> {
  const run = args[0] === 'serve' ? spawnDhole : inLanes(runInProcess, spawnDhole)
  return run(args, environment, stdin)
}

/**
 * Runs `dhole` with arguments as its own process, with nobody at the terminal.
 * @param through command that starts it @param main file of the command, of another copy of the program
 */
export async function spawnDhole(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  stdin: string | Uint8Array = '',
  through: readonly string[] = [],
  main = MAIN,
): Promise<CommandResult> {
  const child = Bun.spawn([...through, process.execPath, main, ...args], {
    env: { PATH: process.env['PATH'] ?? '', ...environment },
    stdin: typeof stdin === 'string' ? new TextEncoder().encode(stdin) : stdin,
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [stdout, stderr, status] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  return { status, stdout, stderr }
}

/** Keys that `dhole apps add` has shown. */
export interface ShownKeys {
  readonly secret: string
  readonly smsKey: string
}

/** Registers an application. @throws Error unless that works */
export async function addApplication(dataDir: string, id: string, ...flags: readonly string[]): Promise<ShownKeys> {
  const { status, stdout, stderr } = await runDhole(['apps', 'add', id, '--data-dir', dataDir, ...flags])
  const [secret, smsKey] = shownKeys(stdout)
  if (status !== 0 || secret === undefined || smsKey === undefined) throw new Error(`apps add ${id}: ${stderr}`)
  return { secret, smsKey }
}

/** Keys that a server has made for its default application: without a terminal they are in their files only. */
export async function keptKeys(dataDir: string): Promise<ShownKeys> {
  const read = async (kind: string) => (await Bun.file(`${dataDir}/secrets/app.${kind}`).text()).trim()
  return { secret: await read('secret'), smsKey: await read('sms') }
}

/** Every key shown in what was printed, in order. */
export function shownKeys(printed: string): readonly string[] {
  return [...printed.matchAll(/shown only now: (\S+)/g)].map(([, key = '']) => key)
}
