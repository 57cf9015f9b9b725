import '../../../support/long-lane.ts'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type Browser, chromium, type Page } from 'playwright-core'
import { findChromium } from '../../../docs/openapi/chromium.ts'
import { SECRET } from '../../../support/https-server.ts'
import { customToken } from '../../../support/token.ts'
import { withServer } from '../../../support/with-server.ts'
import { startForWilddog } from './start-wilddog.ts'

const executablePath = findChromium()
const why = executablePath === undefined ? ' (skipped: there is no Chromium)' : ''
const server = withServer(startForWilddog)

const SDK_0_7 = Bun.fileURLToPath(import.meta.resolve('wilddog-0.7/lib/wilddog-web.js'))
const SDK_2_5 = Bun.fileURLToPath(import.meta.resolve('wilddog-2.5/lib/wilddog-web-all.js'))
const TEXT = 'päivä 狗 🐕'.repeat(20_000)

/** The part of both SDKs that is used here. */
interface Reference {
  set(value: unknown, done: (error: Error | null) => void): void
  on(event: string, take: (snapshot: { val(): unknown }) => void): void
}

/** What pages and programs in them share. */
type Wide = typeof globalThis & {
  Wilddog: new (url: string) => Reference
  wilddog: {
    initializeApp(options: object): {
      sync(): { ref(path: string): Reference }
      auth(): { signInWithCustomToken(token: string): Promise<{ uid: unknown }> }
    }
  }
}

describe.skipIf(executablePath === undefined)(`Wilddog's SDKs in a browser${why}`, () => {
  let browser: Browser

  beforeAll(async () => {
    browser = await chromium.launch({ ...(executablePath ? { executablePath } : {}), args: ['--no-sandbox'] })
  })

  afterAll(() => browser?.close())

  const host = () => `app.dhole.localhost:${server.port}`

  /** A page of another origin than the application's, and the transports that it uses. */
  async function open(prepare: () => void = () => {}): Promise<{ readonly page: Page; readonly used: Set<string> }> {
    const page = await browser.newPage({ ignoreHTTPSErrors: true })
    const used = new Set<string>()
    page.on('websocket', (socket) => {
      used.add(new URL(socket.url()).searchParams.has('sid') ? 'upgrade' : 'socket')
    })
    page.on('request', (request) => {
      if (new URL(request.url()).searchParams.get('transport') === 'polling') used.add('polling')
    })
    await page.addInitScript(prepare)
    await page.goto(`${server.url}/health`)
    return { page, used }
  }

  test.each([
    ['by long polling, then by a WebSocket', false],
    ['by long polling alone', true],
  ] as const)('0.7 works %s', async (_, isWithoutSockets) => {
    const { page, used } = await open(
      isWithoutSockets ? () => Reflect.deleteProperty(globalThis, 'WebSocket') : undefined,
    )
    try {
      await page.addScriptTag({ path: SDK_0_7 })
      const shown = await page.evaluate(
        async ([url, text]) => {
          const ref = new (globalThis as Wide).Wilddog(url)
          await new Promise<void>((resolve, reject) =>
            ref.set(text, (error) => (error === null ? resolve() : reject(error))),
          )
          return new Promise((resolve) => ref.on('value', (snapshot) => resolve(snapshot.val())))
        },
        [`https://${host()}/page`, TEXT] as const,
      )
      expect(shown).toBe(TEXT)
      if (isWithoutSockets) expect([...used]).toEqual(['polling'])
      else await upgraded(page, used)
      await page.evaluate((url) => {
        const ref = new (globalThis as Wide).Wilddog(url)
        return new Promise((resolve) => ref.set('after', resolve))
      }, `https://${host()}/page`)
      expect((await server.call('GET', '/page.json')).text).toBe('"after"')
    } finally {
      await page.close()
    }
  })

  test.each([
    ['an entry of the local storage', entryFor, undefined],
    ['redirected requests, which also sign users in', redirectTo, 'ann'],
  ] as const)('2.5 finds the server by %s', async (_, way, uid) => {
    const { page, used } = await open()
    try {
      await page.addScriptTag({ content: way(host()) })
      await page.addScriptTag({ path: SDK_2_5 })
      const token = uid === undefined ? undefined : customToken(SECRET, { uid })
      const shown = await page.evaluate(
        async ([name, text, custom]) => {
          const options = { syncURL: `https://${name}`, authDomain: 'app.wilddog.com' }
          const app = (globalThis as Wide).wilddog.initializeApp(options)
          const user = custom === undefined ? undefined : await app.auth().signInWithCustomToken(custom)
          const ref = app.sync().ref('page')
          await new Promise<void>((resolve, reject) =>
            ref.set(text, (error) => (error === null ? resolve() : reject(error))),
          )
          const value = await new Promise((resolve) => ref.on('value', (snapshot) => resolve(snapshot.val())))
          return { value, uid: user?.uid }
        },
        [host(), TEXT, token] as const,
      )
      expect(shown).toEqual({ value: TEXT, uid })
      await upgraded(page, used)
    } finally {
      await page.close()
    }
  })
})

/** Resolves when the page has gone over to a WebSocket, which may be after the first answers. */
async function upgraded(page: Page, used: Set<string>): Promise<void> {
  if (!used.has('upgrade')) await page.waitForEvent('websocket')
  expect([...used]).toEqual(['polling', 'upgrade'])
}

/** A script that chooses the host before the SDK is loaded. */
function entryFor(host: string): string {
  return `localStorage.setItem('wilddog:host:${host}', JSON.stringify('${host},ts:' + Date.now()))`
}

/** A script that sends what is meant for hosts of Wilddog to the server. */
function redirectTo(host: string): string {
  return `const { open } = XMLHttpRequest.prototype
XMLHttpRequest.prototype.open = function (method, url, ...rest) {
  const redirected = String(url).replace(/^https:\\/\\/(ns|auth)\\.wilddog\\.com\\//, 'https://${host}/')
  return open.call(this, method, redirected, ...rest)
}`
}
