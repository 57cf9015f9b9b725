import '../../support/long-lane.ts'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type Browser, chromium, type Page } from 'playwright-core'
import { SMS_KEY } from '../../protocol/sms/service.ts'
import { type HttpsServer, SECRET, startInProcess } from '../../support/https-server.ts'
import { customToken } from '../../support/token.ts'
import { findChromium, PATIENCE_MS } from './chromium.ts'

const executablePath = findChromium()
const title = `trying out a call on the page${executablePath === undefined ? ' (skipped: no Chromium)' : ''}`

describe.skipIf(executablePath === undefined)(title, () => {
  let browser: Browser
  let server: HttpsServer

  beforeAll(async () => {
    const rules = JSON.stringify({ rules: { '.read': "auth.uid === 'alice'" } })
    server = await startInProcess({ docs: true, applications: { app: { secret: SECRET, rules, smsKey: SMS_KEY } } })
    // Its sandbox needs what a container does not give; the pages are ours.
    const args = ['--no-sandbox', '--disable-dev-shm-usage']
    browser = await chromium.launch({ ...(executablePath === undefined ? {} : { executablePath }), args })
  })

  afterAll(async () => {
    await browser?.close()
    await server?.stop()
  })

  /** Fills in one way to show a credential. */
  async function authorize(page: Page, scheme: string, credential: string): Promise<void> {
    await page.click('button.authorize.unlocked')
    const form = page.locator('.auth-container', { hasText: `${scheme} ` }).first()
    await form.locator('input').fill(credential)
    await form.locator('button.authorize').click()
    await page.click('.dialog-ux .btn-done')
  }

  /** Sends a call as the page fills it in, and waits for its answer. */
  async function execute(page: Page, operationId: string): Promise<string> {
    const operation = page.locator(`[id$="-${operationId}"]`)
    await page.locator('.opblock-tag-section.is-open').first().waitFor()
    // Chapters but the first one are closed.
    const closed = page.locator('.opblock-tag-section:not(.is-open) .opblock-tag')
    while ((await closed.count()) > 0) await closed.first().click()
    await operation.locator('.opblock-summary-control').first().click()
    await operation.locator('button.try-out__btn').click()
    await operation.locator('button.execute').click()
    return (await operation.locator('.live-responses-table .response-col_status').nth(1).textContent()) ?? ''
  }

  const credentials = [
    ['auth', SECRET, 'getRules'],
    ['bearer', customToken(SECRET, { d: { uid: 'alice' } }), 'getRoot'],
    ['auth', customToken(SECRET, { uid: 'alice' }), 'getRoot'],
    ['accessToken', customToken(SECRET, { uid: 'alice' }), 'getRoot'],
  ] as const

  test.each(credentials)(
    'with %s shows the credential to the service and to nobody else',
    async (scheme, credential, operationId) => {
      const page = await browser.newPage({ ignoreHTTPSErrors: true })
      page.setDefaultTimeout(PATIENCE_MS)
      await page.goto(`${server.url}/swagger`)
      await authorize(page, scheme, credential)
      expect(await execute(page, operationId)).toContain('200')
      const shown = await page.content()
      for (const text of [credential, encodeURIComponent(credential)]) expect(shown).not.toContain(text)
      expect(shown).toMatch(/(auth|access_token)=…|Bearer …/)
      expect(await page.evaluate('localStorage.length + sessionStorage.length + document.cookie.length')).toBe(0)
      await page.close()
    },
  )

  test('the page begins with the five methods of a node, and all else is closed', async () => {
    const page = await browser.newPage({ ignoreHTTPSErrors: true })
    page.setDefaultTimeout(PATIENCE_MS)
    await page.goto(`${server.url}/swagger`)
    const open = page.locator('.opblock-tag-section.is-open')
    await open.locator('.opblock').first().waitFor()
    expect(await open.locator('.opblock-tag').allTextContents()).toEqual([expect.stringContaining('Tree')])
    const listed = page.locator('.opblock .opblock-summary')
    const shown = await listed.locator('.opblock-summary-method').allTextContents()
    expect(shown).toEqual(['GET', 'PUT', 'POST', 'PATCH', 'DELETE'])
    const paths = await listed.locator('.opblock-summary-path').allTextContents()
    expect(new Set(paths.map((path) => path.replaceAll('\u200b', '')))).toEqual(new Set(['/{path}.json']))
    const closed = page.locator('.opblock-tag-section:not(.is-open) .opblock-tag')
    expect(await closed.count()).toBeGreaterThan(5)
    while ((await closed.count()) > 0) await closed.first().click()
    const methods = await listed.locator('.opblock-summary-method').allTextContents()
    expect(methods.length).toBeGreaterThan(20)
    expect(methods).not.toContain('HEAD')
    expect(methods).not.toContain('OPTIONS')
    await page.close()
  })

  test.each(['getSmsBatch', 'getSmsCarrierCodes'])(
    'as it is filled in works where no time is signed: %s',
    async (operationId) => {
      const page = await browser.newPage({ ignoreHTTPSErrors: true })
      page.setDefaultTimeout(PATIENCE_MS)
      await page.goto(`${server.url}/swagger`)
      expect(await execute(page, operationId)).toContain('200')
      await page.close()
    },
  )
})
