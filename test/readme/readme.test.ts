import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type ServerProcess, startServer } from '../support/server-process.ts'
import { readmeTable, settingsTable } from './settings-table.ts'

/** A shell block of the tour and the answers printed below it. */
interface Step {
  readonly commands: string
  readonly answers: string
}

const README = await Bun.file(new URL('../../README.md', import.meta.url)).text()

/** The tour: every shell block that is followed by a block of answers. */
function tour(): Step[] {
  const steps = README.matchAll(/```sh\n([^`]*)```\s*```json\n([^`]*)```/g)
  return [...steps].map(([, commands, answers]) => ({ commands: commands ?? '', answers: answers ?? '' }))
}

/** Keys and times differ from run to run; their shape does not. */
function withoutMoments(text: string): string {
  return text.replace(/-[0-9A-Z_a-z-]{19}/g, '<key>').replace(/\b1\d{12}\b/g, '<time>')
}

/** Each answer on its own line, as a terminal shows it when the prompt follows. */
async function run(commands: string, server: ServerProcess): Promise<string> {
  const script = commands.replace(/^curl (.*)$/gm, 'curl -sS $1 && echo')
  const shell = Bun.spawn(['bash', '-euc', script], {
    env: { ...process.env, CURL_CA_BUNDLE: server.certificate, DB: server.url.replace('127.0.0.1', 'localhost') },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [out, err] = await Promise.all([new Response(shell.stdout).text(), new Response(shell.stderr).text()])
  expect(err).toBe('')
  return out.replace(/\n\n+/g, '\n')
}

let server: ServerProcess

beforeAll(async () => {
  server = await startServer()
})

afterAll(async () => {
  await server.stop()
})

test('the tour prints what it says', async () => {
  expect(tour().length).toBeGreaterThan(5)
  for (const { commands, answers } of tour()) {
    expect(withoutMoments(await run(commands, server))).toBe(withoutMoments(answers))
  }
})

test('the table of settings is what the server accepts', async () => {
  expect(await readmeTable()).toBe(settingsTable())
})
