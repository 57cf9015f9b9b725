import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { findChromium } from '../../docs/openapi/chromium.ts'
import { inLanes, longTest } from '../../support/lane.ts'
import { SdkClient } from '../../support/sdk-client.ts'
import { withServer } from '../../support/with-server.ts'

const executablePath = findChromium()
const why = executablePath === undefined ? ' (skipped: there is no Chromium)' : ''
const server = withServer()

/** Mark of the SDK in a browser whose last WebSocket was not seen to work. */
const FAILED = 'firebase:previous_websocket_failure'

/** How a page connects, whether the mark is set before, and what it uses. */
const WAYS = [
  ['by long polling, then by a WebSocket', 'any', FAILED, ['polling', 'upgrade']],
  ['by WebSocket', 'any', undefined, ['socket']],
  ['by long polling alone', 'polling', undefined, ['polling']],
] as const

describe.skipIf(executablePath === undefined)(`Firebase's SDK in a browser${why}`, () => {
  let browser: Browser
  let program: string

  beforeAll(async () => {
    const entrypoints = [join(import.meta.dir, 'browser-program.ts')]
    const built = await Bun.build({ entrypoints, target: 'browser', format: 'iife', conditions: ['browser'] })
    program = (await built.outputs[0]?.text()) ?? ''
    browser = await chromium.launch({ ...(executablePath ? { executablePath } : {}), args: ['--no-sandbox'] })
  })

  afterAll(() => browser?.close())

  /** A page of the server's own origin with the program, and the requests and sockets of it. */
  async function open(
    context?: BrowserContext,
    mark?: string,
  ): Promise<{ readonly page: Page; readonly used: string[]; [Symbol.asyncDispose](): Promise<void> }> {
    const page = await (context?.newPage() ?? browser.newPage({ ignoreHTTPSErrors: true }))
    const used: string[] = []
    page.on('websocket', (socket) => {
      used.push(new URL(socket.url()).searchParams.has('s') ? 'upgrade' : 'socket')
    })
    page.on('request', (request) => {
      if (new URL(request.url()).searchParams.get('start') === 't') used.push('polling')
    })
    await page.goto(`${server.url}/health`)
    if (mark !== undefined) await page.evaluate((name) => localStorage.setItem(name, 'true'), mark)
    await page.addScriptTag({ content: program })
    return { page, used, [Symbol.asyncDispose]: () => page.close() }
  }

  /** Calls a function of the program. */
  const call = <T>(page: Page, name: string, ...args: readonly string[]): Promise<T> =>
    page.evaluate(
      ([chosen, given]) =>
        (globalThis as unknown as Record<string, (...args: readonly string[]) => Promise<T>>)[chosen]!(...given),
      [name, args] as const,
    ) as Promise<T>

  const url = () => `${server.url}/?ns=app`
  const tabs = async () => Object.keys(JSON.parse((await server.call('GET', '/tabs.json')).text) ?? {}).length

  test.each(inLanes(WAYS.slice(0, 1), [...WAYS]))('works %s', async (_, way, mark, expected) => {
    await server.call('DELETE', '/.json')
    await using opened = await open(undefined, mark)
    const { seen, isSame } = await call<{ seen: unknown[]; isSame: boolean }>(opened.page, 'run', url(), way)
    expect(isSame).toBeTrue()
    expect(seen.at(-1)).toBe(4)
    expect(opened.used).toEqual([...expected])
    expect(JSON.parse((await server.call('GET', '/page/n.json')).text)).toBe(4)
  })

  longTest('a page that was left while it connected comes back by long polling, then by WebSocket again', async () => {
    await server.call('DELETE', '/.json')
    const context = await browser.newContext({ ignoreHTTPSErrors: true })
    {
      await using left = await open(context)
      const reloaded = left.page.waitForEvent('load')
      call(left.page, 'leaveInTheMiddle', url(), FAILED).catch(() => {})
      await reloaded
      expect(await left.page.evaluate((name) => localStorage.getItem(name), FAILED)).toBe('true')
    }
    for (const expected of [['polling', 'upgrade'], ['socket']]) {
      await using back = await open(context)
      await call(back.page, 'run', url(), 'any')
      // Removed when a socket has worked.
      await back.page.waitForFunction((name) => localStorage.getItem(name) === null, FAILED)
      expect(back.used).toEqual(expected)
    }
    await context.close()
  })

  for (const way of ['any', 'polling']) {
    longTest(`two tabs hear each other, and one that closes is gone (${way})`, async () => {
      await server.call('DELETE', '/.json')
      const context = await browser.newContext({ ignoreHTTPSErrors: true })
      const [one, two] = [await open(context), await open(context)]
      for (const { page } of [one, two]) await call(page, 'appear', url(), way)
      for (const { page } of [one, two]) await page.waitForFunction(() => Reflect.get(globalThis, 'tabs') === 2)
      const heard = call<string>(two.page, 'hear')
      await call(one.page, 'say', 'hello')
      expect(await heard).toBe('hello')
      await one.page.close({ runBeforeUnload: true })
      await two.page.waitForFunction(() => Reflect.get(globalThis, 'tabs') === 1)
      expect(await tabs()).toBe(1)
      // Going to another page ends it as well.
      await using watcher = await SdkClient.connect(server)
      await watcher.request('q', { p: '/tabs', h: '' })
      watcher.take()
      await two.page.goto('about:blank')
      await watcher.first(1)
      expect(await tabs()).toBe(0)
      await context.close()
    })
  }
})
