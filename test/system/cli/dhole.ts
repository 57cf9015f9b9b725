import { runDhole } from '../../support/dhole-command.ts'

/** The program. */
export const MAIN = Bun.fileURLToPath(new URL('../../../src/cli/main.ts', import.meta.url))

/** What a command did. */
export interface Ran {
  readonly status: number
  readonly out: string
  readonly err: string
}

/** What a command gets beside its arguments. */
export interface Surroundings {
  /** Standard input; empty without. */
  readonly stdin?: string | Uint8Array
  /** The environment beside `PATH`. */
  readonly env?: Readonly<Record<string, string>>
}

/** Runs `dhole` to its end, with pipes instead of a terminal. */
export async function dhole(args: readonly string[], { stdin = '', env = {} }: Surroundings = {}): Promise<Ran> {
  const { status, stdout, stderr } = await runDhole(args, env, stdin)
  return { status, out: stdout, err: stderr }
}
