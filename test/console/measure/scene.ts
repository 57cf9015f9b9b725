import type { Browser, BrowserContext, Page } from 'playwright-core'
import { type ServerProcess, spawnServer } from '../../support/server-process.ts'
import { launchBrowser, logIn, PATIENCE_MS } from '../chromium.ts'

const OPERATOR = 'the operator of the measured console'
const SECRET = 'a secret of the measured application'
/** Members of one write that fills a list. */
const PER_WRITE = 50_000

/** Collects what holds the thread of a page for more than 50 ms. */
const WATCH_TASKS = `
  globalThis.longTasks = []
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) longTasks.push(duration)
  }).observe({ type: 'longtask' })
`

/** Resolves once a window has drawn something. */
const FRAMES_DRAWN = 'new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))'

/** A server with a large list at `/large`, and a browser whose operator has logged in. */
export interface Scene extends AsyncDisposable {
  readonly server: ServerProcess
  readonly browser: Browser
  /** Opens an address below `/console` in a window that has nothing of it in its cache. */
  open(path: string): Promise<Page>
  /** Opens a page of the server that has no script in such a window. */
  openPlain(): Promise<Page>
  /** Sends a request with the super secret of the application. @throws Error unless it succeeds */
  send(method: string, path: string, body?: unknown): Promise<void>
}

/** Key of a child of `/large`. */
function keyOf(index: number): string {
  return `k${String(index).padStart(8, '0')}`
}

/** @param children of `/large` */
export async function startScene(children: number): Promise<Scene> {
  const server = await spawnServer({ OPERATOR_SECRET: OPERATOR, APP_SECRET: SECRET, LOG_LEVEL: 'error' })
  const send = async (method: string, path: string, body?: unknown): Promise<void> => {
    const reply = await fetch(`${server.url}${path}?print=silent`, {
      method,
      tls: { rejectUnauthorized: false },
      headers: { Authorization: `Bearer ${SECRET}` },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await reply.text()
    if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${text}`)
  }
  for (let from = 0; from < children; from += PER_WRITE) {
    const count = Math.min(PER_WRITE, children - from)
    const some = Array.from({ length: count }, (_, index) => [keyOf(from + index), { n: from + index }])
    await send('PATCH', '/large.json', Object.fromEntries(some))
  }
  const browser = await launchBrowser()
  const newContext = async (state?: Awaited<ReturnType<BrowserContext['storageState']>>) => {
    const context = await browser.newContext({
      ignoreHTTPSErrors: true,
      viewport: { width: 1280, height: 900 },
      ...(state === undefined ? {} : { storageState: state }),
    })
    context.setDefaultTimeout(PATIENCE_MS)
    await context.addInitScript(WATCH_TASKS)
    return context
  }
  const first = await newContext()
  const login = await first.newPage()
  await login.goto(`${server.url}/console`)
  await logIn(login, OPERATOR)
  const state = await first.storageState()
  await first.close()
  const openAt = async (address: string): Promise<Page> => {
    const context = await newContext(state)
    const page = await context.newPage()
    // The window is there before the address is opened, as for a person.
    await page.evaluate(FRAMES_DRAWN)
    await page.goto(`${server.url}${address}`)
    return page
  }
  return {
    server,
    browser,
    send,
    open: (path) => openAt(`/console${path}`),
    openPlain: () => openAt('/'),
    [Symbol.asyncDispose]: async () => {
      await browser.close()
      await server.stop()
    },
  }
}
