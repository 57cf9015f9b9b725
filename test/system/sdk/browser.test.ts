import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { type Browser, chromium, type Page } from 'playwright-core'
import { findChromium } from '../../docs/openapi/chromium.ts'
import { withServer } from '../../support/with-server.ts'

const executablePath = findChromium()
const why = executablePath === undefined ? ' (skipped: there is no Chromium)' : ''
const server = withServer()

/** Mark of the SDK in a browser whose last WebSocket was not seen to work. */
const FAILED = 'firebase:previous_websocket_failure'

describe.skipIf(executablePath === undefined)(`Firebase's SDK in a browser${why}`, () => {
  let browser: Browser
  let program: string

  beforeAll(async () => {
    const entrypoints = [join(import.meta.dir, 'browser-program.ts')]
    const built = await Bun.build({ entrypoints, target: 'browser', conditions: ['browser'] })
    program = (await built.outputs[0]?.text()) ?? ''
    browser = await chromium.launch({ ...(executablePath ? { executablePath } : {}), args: ['--no-sandbox'] })
  })

  afterAll(() => browser?.close())

  /** A page of the server's own origin, and the requests and sockets of it. */
  async function open(): Promise<{ readonly page: Page; readonly used: string[] }> {
    const page = await browser.newPage({ ignoreHTTPSErrors: true })
    const used: string[] = []
    page.on('websocket', (socket) => {
      used.push(new URL(socket.url()).searchParams.has('s') ? 'upgrade' : 'socket')
    })
    page.on('request', (request) => {
      if (new URL(request.url()).searchParams.get('start') === 't') used.push('polling')
    })
    await page.goto(`${server.url}/health`)
    return { page, used }
  }

  const run = (page: Page, way: 'polling' | 'any') =>
    page.evaluate(
      ([url, chosen]) =>
        (globalThis as unknown as { run(url: string, way: string): Promise<unknown> }).run(url, chosen),
      [`${server.url}/?ns=app`, way] as const,
    )

  test.each([
    ['by WebSocket', 'any', false, ['socket']],
    ['by long polling alone', 'polling', false, ['polling']],
    ['by long polling, then by a WebSocket', 'any', true, ['polling', 'upgrade']],
  ] as const)('works %s', async (_, way, hasFailed, expected) => {
    await server.call('DELETE', '/.json')
    const { page, used } = await open()
    try {
      if (hasFailed) await page.evaluate((name) => localStorage.setItem(name, 'true'), FAILED)
      await page.addScriptTag({ content: program, type: 'module' })
      const { seen, isSame } = (await run(page, way)) as { seen: unknown[]; isSame: boolean }
      expect(isSame).toBeTrue()
      expect(seen.at(-1)).toBe(4)
      expect(used).toEqual([...expected])
      expect(JSON.parse((await server.call('GET', '/page/n.json')).text)).toBe(4)
    } finally {
      await page.close()
    }
  })
})
