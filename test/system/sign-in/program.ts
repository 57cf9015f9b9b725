import { join } from 'node:path'
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

/**
 * Starts a scenario of a program with the SDK as it is published.
 * @param way in which the SDK is told where to sign in: `emulator` or `config`
 */
export async function startProgram(
  { url, ca }: Pick<HttpsClient, 'url' | 'ca'>,
  scenario: string,
  tokens: Tokens,
  way = 'emulator',
) {
  const dir = await tempDir()
  const file = join(dir.path, 'ca.pem')
  await Bun.write(file, ca)
  // The key of an application that was written for Firebase.
  const given = { url, databaseUrl: `${url}/?ns=app`, apiKey: 'AIzaSyD-a-key-of-Google', way, tokens }
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

/** What the scenario `users` tells where `ann` is an editor. */
export const TWO_USERS = {
  uid: 'ann',
  role: 'editor',
  signInProvider: 'custom',
  foreign: 'PERMISSION_DENIED: Permission denied',
  editors: 'allowed',
  others: 'PERMISSION_DENIED: Permission denied',
}
