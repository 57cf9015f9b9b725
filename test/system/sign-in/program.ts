import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import type { HttpsClient } from '../../support/https-server.ts'
import { tempDir } from '../../support/temp-dir.ts'

export const RULES = JSON.stringify({
  rules: {
    users: { $user: { '.read': 'auth.uid === $user', '.write': 'auth.uid === $user' } },
    articles: { '.write': "auth.token.role === 'editor' && auth.token.firebase.sign_in_provider === 'custom'" },
  },
})

/** Custom tokens by the names that the program gives them. */
export type Tokens = Readonly<Record<string, string>>

/** Where a program goes. */
interface ProgramServer extends Pick<HttpsClient, 'url' | 'ca'> {
  /** Where its database is, where users sign in elsewhere. */
  readonly databaseServer?: string
}

/**
 * Starts a scenario of a program with the SDK as it is published.
 * @param way in which the SDK is told where to sign in: `emulator` or `config`
 */
async function startProgram(
  { url, ca, databaseServer = url }: ProgramServer,
  scenario: string,
  tokens: Tokens,
  way = 'emulator',
) {
  const dir = await tempDir()
  const file = join(dir.path, 'ca.pem')
  await Bun.write(file, ca)
  // The key of an application that was written for Firebase.
  const given = { url, databaseUrl: `${databaseServer}/?ns=app`, apiKey: 'AIzaSyD-a-key-of-Google', way, tokens }
  const program = Bun.spawn([process.execPath, join(import.meta.dir, 'child.ts'), scenario, JSON.stringify(given)], {
    env: { ...process.env, NODE_EXTRA_CA_CERTS: file },
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'inherit',
    timeout: 50_000,
  })
  program.exited.then(() => dir[Symbol.asyncDispose]())
  return program
}

/** Runs a scenario to its end. @returns what it tells */
export async function runProgram(...started: Parameters<typeof startProgram>): Promise<unknown> {
  const { stdout } = await startProgram(...started)
  return JSON.parse(await new Response(stdout).text())
}

/** A session of the program, which does what it is told. */
export async function openSession(server: ProgramServer, tokens: Tokens) {
  const child = await startProgram(server, 'session', tokens)
  const lines = createInterface(Readable.fromWeb(child.stdout as never))[Symbol.asyncIterator]()
  const told: unknown[] = []
  return {
    /** Everything that it has told since the last call, up to what `last` accepts. */
    async until(last: object): Promise<unknown[]> {
      for (;;) {
        const { value, done } = await lines.next()
        if (done) throw new Error(`the program has ended after ${JSON.stringify(told)}`)
        told.push(JSON.parse(value))
        if (Bun.deepEquals(told.at(-1), last)) return told.splice(0)
      }
    },
    say(command: string): void {
      child.stdin.write(`${command}\n`)
      child.stdin.flush()
    },
    [Symbol.dispose]: () => child.kill(),
  }
}

/** What a listen is told that ends for a user who may not read any more. */
export const ENDED = "permission_denied at /users/ann: Client doesn't have permission to access the desired data."

/** What the scenario `users` tells where `ann` is an editor. */
export const TWO_USERS = {
  uid: 'ann',
  role: 'editor',
  signInProvider: 'custom',
  foreign: 'PERMISSION_DENIED: Permission denied',
  editors: 'allowed',
  others: 'PERMISSION_DENIED: Permission denied',
}
