import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { type Browser, chromium, type Page } from 'playwright-core'
import { findChromium } from '../../docs/openapi/chromium.ts'
import { pageText } from '../../docs/pages/blocks.ts'
import { longTest } from '../../support/lane.ts'
import { clientOfProcess, type ServerProcess, spawnServer } from '../../support/server-process.ts'
import { type TempDir, tempDir } from '../../support/temp-dir.ts'
import { customToken } from '../../support/token.ts'

const TUTORIAL = 'docs/tutorial/chat.md'
const MODULES = Bun.fileURLToPath(new URL('../../../node_modules', import.meta.url))
const SECRET = 'a secret of the chat'
const executablePath = findChromium()
const why = executablePath === undefined ? ' (skipped: there is no Chromium)' : ''
/** Messages of each page before the server is killed, and as many while it is away. */
const MESSAGES = 30

/**
 * The files that the commands of the tutorial write, by their names. The package `firebase` has modules that pass on those of
 * its parts, which are here.
 */
async function filesOf(url: string): Promise<ReadonlyMap<string, string>> {
  const found = (await pageText(TUTORIAL)).matchAll(/^cat > (\S+) <<'EOF'\n([\s\S]*?)^EOF$/gm)
  return new Map(
    [...found].map(([, file = '', text = '']) => [
      file,
      text.replaceAll('https://localhost:8443', url).replaceAll("'firebase/", "'@firebase/"),
    ]),
  )
}

/** Serves the page. */
async function servePage(files: ReadonlyMap<string, string>, folder: string): Promise<Bun.Server<undefined>> {
  for (const [file, text] of files) await Bun.write(join(folder, file), text)
  await symlink(MODULES, join(folder, 'node_modules'))
  const built = await Bun.build({
    entrypoints: [join(folder, 'chat/page.js')],
    target: 'browser',
    conditions: ['browser'],
  })
  const script = (await built.outputs[0]?.text()) ?? ''
  const html = { headers: { 'content-type': 'text/html' } }
  return Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    routes: {
      '/': () => new Response(files.get('chat/index.html'), html),
      '/page.js': () => new Response(script, { headers: { 'content-type': 'text/javascript' } }),
    },
  })
}

describe.skipIf(executablePath === undefined)(`the chat of the tutorial${why}`, () => {
  let browser: Browser
  let dir: TempDir
  let server: ServerProcess
  let site: Bun.Server<undefined>

  const start = (port = '0') => spawnServer({ DATA_DIR: dir.file('data'), PORT: port, APP_SECRET: SECRET })
  const rest = async (path: string) =>
    JSON.parse(
      (await (await clientOfProcess(server)).call('GET', `${path}.json?auth=${encodeURIComponent(SECRET)}`)).text,
    )

  beforeAll(async () => {
    dir = await tempDir()
    server = await start()
    const files = await filesOf(server.url.replace('127.0.0.1', 'localhost'))
    const body = files.get('rules.json') ?? ''
    const { call } = await clientOfProcess(server)
    expect((await call('PUT', `/.settings/rules.json?auth=${encodeURIComponent(SECRET)}`, { body })).status).toBe(200)
    site = await servePage(files, dir.path)
    browser = await chromium.launch({ ...(executablePath ? { executablePath } : {}), args: ['--no-sandbox'] })
  })

  afterAll(async () => {
    await browser?.close()
    await site?.stop(true)
    await server?.stop()
    await dir?.[Symbol.asyncDispose]()
  })

  async function enter(uid: string): Promise<Page> {
    const page = await browser.newPage({ ignoreHTTPSErrors: true })
    await page.goto(`http://localhost:${site.port}/#${customToken(SECRET, { uid })}`)
    await shows(page, '#state', `Connected as ${uid}`)
    return page
  }

  async function shows(page: Page, element: string, text: string): Promise<void> {
    await page.locator(element, { hasText: new RegExp(`^${text}$`) }).waitFor({ state: 'attached' })
  }

  /** Writes numbered messages as fast as the page takes them. */
  async function write(page: Page, from: number): Promise<void> {
    await page.evaluate(
      ([first, count]) => {
        const document = Reflect.get(globalThis, 'document')
        const form = document.querySelector('form')
        for (let number = first; number < first + count; number++) {
          form.elements.text.value = `message ${number}`
          form.requestSubmit()
        }
      },
      [from, MESSAGES] as const,
    )
  }

  const textsOf = (page: Page) => page.locator('#messages span').allTextContents()

  test('shows who is online, who is typing, messages and likes', async () => {
    const [ann, bob] = [await enter('ann'), await enter('bob')]
    for (const page of [ann, bob]) await shows(page, '#online', 'ann, bob')
    await bob.locator('input').pressSequentially('Hello')
    await shows(ann, '#typing', 'bob …')
    await bob.locator('input').press('Enter')
    await shows(ann, '#messages span', 'bob: Hello')
    await shows(ann, '#typing', '')
    for (const page of [ann, bob]) await page.locator('#messages button').click()
    for (const page of [ann, bob]) await shows(page, '#messages button', '2')
    await bob.locator('#messages button').click()
    await shows(ann, '#messages button', '1')
    await bob.close()
    await shows(ann, '#online', 'ann')
    await ann.close()
  })

  longTest('lives through a server that is killed: nothing is lost, nothing is there twice', async () => {
    const [ann, bob, cat] = [await enter('ann'), await enter('bob'), await enter('cat')]
    for (const page of [ann, bob]) await shows(page, '#online', 'ann, bob, cat')
    await Promise.all([write(ann, 0), write(bob, 0)])
    await shows(bob, '#messages span', 'ann: message 0')
    server.kill('SIGKILL')
    await server.exited
    for (const page of [ann, bob]) await shows(page, '#state', 'Not connected')
    await cat.close()
    await Promise.all([write(ann, MESSAGES), write(bob, MESSAGES)])
    server = await start(new URL(server.url).port)
    for (const page of [ann, bob]) await shows(page, '#online', 'ann, bob')
    for (const uid of ['ann', 'bob']) {
      for (const page of [ann, bob]) await shows(page, '#messages span', `${uid}: message ${2 * MESSAGES - 1}`)
    }
    const stored = Object.values<{ uid: string; text: string }>(await rest('/messages/lobby'))
    const texts = stored.map(({ uid, text }) => `${uid}: ${text}`)
    for (const uid of ['ann', 'bob']) {
      const own = Array.from({ length: 2 * MESSAGES }, (_, number) => `${uid}: message ${number}`)
      expect(texts.filter((text) => own.includes(text))).toEqual(own)
    }
    for (const page of [ann, bob]) expect(await textsOf(page)).toEqual(texts.slice(-100))
    // One connection each: those of the killed server are gone.
    const online = await rest('/online/lobby')
    expect(Object.entries<object>(online).map(([uid, tabs]) => [uid, Object.keys(tabs).length])).toEqual([
      ['ann', 1],
      ['bob', 1],
    ])
  })
})
