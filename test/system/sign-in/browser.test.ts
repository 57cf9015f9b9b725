import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import { findChromium } from '../../docs/openapi/chromium.ts'
import { SECRET, startInProcess } from '../../support/https-server.ts'
import { customToken } from '../../support/token.ts'
import { withServer } from '../../support/with-server.ts'
import { ENDED, RULES } from './program.ts'

const executablePath = findChromium()
const why = executablePath === undefined ? ' (skipped: there is no Chromium)' : ''
const server = withServer(() => startInProcess({ applications: { app: { secret: SECRET, rules: RULES } } }))

describe.skipIf(executablePath === undefined)(`a sign-in in a browser${why}`, () => {
  test('works from a page of another origin', async () => {
    const entrypoints = [join(import.meta.dir, 'browser-program.ts')]
    const built = await Bun.build({ entrypoints, target: 'browser', conditions: ['browser'] })
    const content = (await built.outputs[0]?.text()) ?? ''
    const headers = { 'Content-Type': 'text/html' }
    using site = Bun.serve({ port: 0, fetch: () => new Response('<!doctype html><title>page</title>', { headers }) })
    const browser = await chromium.launch({ ...(executablePath ? { executablePath } : {}), args: ['--no-sandbox'] })
    try {
      const page = await browser.newPage({ ignoreHTTPSErrors: true })
      await page.goto(`http://localhost:${site.port}/`)
      await page.addScriptTag({ content, type: 'module' })
      await page.waitForFunction(() => 'run' in globalThis)
      const outcome = await page.evaluate(
        ([url, token]) =>
          (globalThis as unknown as { run(url: string, token: string): Promise<unknown> }).run(url, token),
        [server.url, customToken(SECRET, { uid: 'ann' })] as const,
      )
      expect(outcome).toEqual({
        uid: 'ann',
        value: 'from a page',
        ended: ENDED,
      })
    } finally {
      await browser.close()
    }
  })
})
