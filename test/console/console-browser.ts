import { afterAll, beforeAll } from 'bun:test'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { type ServerProcess, spawnServer } from '../support/server-process.ts'
import { executablePath, launchBrowser, logIn, MISSING, PATIENCE_MS } from './chromium.ts'

/** Secret of the operator in these tests. */
export const OPERATOR = 'the operator of the test suite'
/** Super secret of the default application in these tests. */
export const APP_SECRET = 'a secret of the test suite'

/** A server and a browser of the tests of one file. */
export interface ConsoleBrowser {
  /** Address of the server. */
  readonly url: string
  readonly server: ServerProcess
  /** What pages did wrong, in the words of the browser: errors, and what the policy blocked. */
  readonly complaints: string[]
  /** Opens an address below `/console`, with the session of the operator that all tests of the file share. */
  open(path: string, options?: BrowserContextOptions): Promise<Page>
  /** Opens an address without a session. */
  visit(path: string, options?: BrowserContextOptions): Promise<Page>
  /** Sends a request with the super secret of the default application. */
  send(method: string, path: string, body?: unknown): Promise<void>
  /** Carries out an operation as the operator. @returns its reply, with `result` */
  operate(name: string, input: object): Promise<unknown>
}

/** Starts `dhole serve` and a browser before the tests of a file, and stops them after them. */
export function withConsole(settings: Readonly<Record<string, string>> = {}): ConsoleBrowser {
  let server: ServerProcess | undefined
  let browser: Browser | undefined
  /** Cookies and storage of a page that has just logged in. */
  let session: Awaited<ReturnType<BrowserContext['storageState']>> | undefined
  const complaints: string[] = []
  const running = (): ServerProcess => {
    if (server === undefined) throw new Error('the server runs during tests and hooks only')
    return server
  }
  beforeAll(async () => {
    if (executablePath === undefined) return
    const own = { OPERATOR_SECRET: OPERATOR, APP_SECRET, LOG_LEVEL: 'warn' }
    const starting = spawnServer({ ...own, ...settings })
    browser = await launchBrowser()
    server = await starting
  })
  afterAll(async () => {
    await browser?.close()
    await server?.stop()
  })
  const visit = async (path: string, options: BrowserContextOptions = {}): Promise<Page> => {
    if (browser === undefined) throw new Error(MISSING)
    const context = await browser.newContext({ ignoreHTTPSErrors: true, ...options })
    const page = await context.newPage()
    page.setDefaultTimeout(PATIENCE_MS)
    // A refusal that a test provokes is logged by the browser too.
    page.on('console', (message) => {
      if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) {
        complaints.push(`${message.text()} ${JSON.stringify(message.location())} ${page.url()}`)
      }
    })
    page.on('pageerror', (error) => complaints.push(error.message))
    await page.goto(`${running().url}/console${path}`)
    return page
  }
  return {
    get url() {
      return running().url
    },
    get server() {
      return running()
    },
    complaints,
    visit,
    open: async (path, options) => {
      const page = await visit(path, { ...options, ...(session === undefined ? {} : { storageState: session }) })
      if (session === undefined) {
        await logIn(page, OPERATOR)
        session = await page.context().storageState()
      } else await page.getByRole('button', { name: 'Log out', exact: true }).waitFor()
      return page
    },
    operate: async (name, input) => {
      const reply = await fetch(`${running().url}/.admin/operations/${name}`, {
        method: 'POST',
        tls: { rejectUnauthorized: false },
        headers: { Authorization: `Bearer ${OPERATOR}` },
        body: JSON.stringify(input),
      })
      if (!reply.ok) throw new Error(`${name}: ${reply.status} ${await reply.text()}`)
      return reply.json()
    },
    send: async (method, path, body) => {
      const separator = path.includes('?') ? '&' : '?'
      const reply = await fetch(`${running().url}${path}${separator}auth=${encodeURIComponent(APP_SECRET)}`, {
        method,
        tls: { rejectUnauthorized: false },
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      })
      if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${await reply.text()}`)
    },
  }
}
