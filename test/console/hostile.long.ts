import '../support/long-lane.ts'
import { describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { signatureOf } from '../../src/sms/model/signature.ts'
import { customToken, nowInSeconds } from '../support/token.ts'
import { executablePath, MISSING } from './chromium.ts'
import { APP_SECRET, withConsole } from './console-browser.ts'

const title = `hostile text in the console${executablePath === undefined ? ` (${MISSING})` : ''}`
const UNCHECKED = { tls: { rejectUnauthorized: false } } as const
const SMS_KEY = 'the sms key of the test suite, long'

/** Runs as code wherever it is taken for HTML. */
const HOSTILE = '<img src=x onerror=xss=1><script>xss=1</script>'
/** The same in what a carrier may send. */
const HOSTILE_CODE = '<img src=x onerror=xss=1>'

describe.skipIf(executablePath === undefined)(title, () => {
  const console = withConsole({ SMS_KEY })

  /** Expects that a page shows a text as it is, and has made nothing of it. */
  async function expectPlain(page: Page, shown: string): Promise<void> {
    await page.getByText(shown).first().waitFor()
    expect(await page.evaluate('[typeof xss, document.querySelectorAll("img, main script").length]')).toEqual([
      'undefined',
      0,
    ])
  }

  async function signed(
    method: string,
    path: string,
    parameters: Record<string, string>,
    body?: string,
  ): Promise<void> {
    const given = { ...parameters, timestamp: String(Date.now()) }
    const all = body === undefined ? given : { ...given, body }
    const signature = signatureOf(Object.entries(all), SMS_KEY)
    const query = new URLSearchParams({ ...given, signature })
    const url = body === undefined ? `${console.url}${path}` : `${console.url}${path}?${query}`
    const reply = await fetch(url, { ...UNCHECKED, method, body: body ?? query })
    expect([reply.status, await reply.text()]).toEqual([200, expect.stringContaining('"ok"')])
  }

  test('in rules, their mistakes, their history and their trace', async () => {
    const rules = JSON.stringify({ rules: { [HOSTILE.replaceAll('/', '')]: { '.read': `auth.uid === '${HOSTILE}'` } } })
    await console.send('PUT', '/.settings/rules.json', `${rules} // ${HOSTILE}`)
    const page = await console.open('/rules/app')
    await expectPlain(page, HOSTILE_CODE)
    await page.getByLabel('Path').fill(`/${HOSTILE.replaceAll('/', '')}`)
    await page.getByRole('button', { name: 'Try', exact: true }).click()
    await page.getByText('Denied: read').waitFor()
    await page.getByRole('button', { name: 'Keep as a case: must be denied' }).click()
    await page.getByRole('button', { name: 'Run all cases' }).click()
    await page.getByText('right: denied').waitFor()
    await expectPlain(page, HOSTILE_CODE)
    await page
      .getByRole('button', { name: /^Show what was published/ })
      .first()
      .click()
    await page.getByRole('dialog').waitFor()
    await expectPlain(page, HOSTILE_CODE)
    await page.keyboard.press('Escape')
    await page.getByRole('textbox', { name: 'Rules' }).fill(`{"rules": {".${HOSTILE}": true}}`)
    await page.getByText('Line 1').first().waitFor()
    await page.locator('.cm-lint-marker').first().hover()
    await expectPlain(page, HOSTILE_CODE)
    await page.context().close()
  })

  test('in paths of requests and streams', async () => {
    const path = `/${encodeURIComponent(HOSTILE.replaceAll('/', ''))}.json`
    await console.send('PUT', '/.settings/rules.json', '{"rules":{".read":true}}')
    await console.send('GET', path)
    const headers = { Accept: 'text/event-stream' }
    const stream = await fetch(`${console.url}${path}`, { ...UNCHECKED, headers })
    const page = await console.open('/streams/app')
    await expectPlain(page, HOSTILE_CODE)
    await page.getByRole('link', { name: 'Home' }).click()
    await expectPlain(page, '%3Cimg%20src')
    await stream.body?.cancel()
    await page.context().close()
  })

  test('in text messages', async () => {
    await signed('POST', '/api/v1/app/batch/record', { mobiles: '["13800138000"]', rrid: 'welcome-1' })
    const data = [
      {
        status: 'Failure',
        deliveryStatus: HOSTILE_CODE,
        mobile: '13800138000',
        rrid: 'welcome-1',
        receiveTime: '2026-11-21 18:00:05',
      },
    ]
    await signed('POST', '/api/v1/app/report', {}, JSON.stringify({ type: 1, data }))
    const page = await console.open('/messages/app')
    await page.getByRole('link', { name: 'welcome-1' }).click()
    await expectPlain(page, HOSTILE_CODE)
    await page.context().close()
  })

  test('in tokens, and in addresses of the console', async () => {
    const page = await console.open('/tokens/app')
    const token = customToken(APP_SECRET, { v: 1, iat: nowInSeconds(), uid: 'ann', claims: { name: HOSTILE } })
    await page.getByLabel('Token', { exact: true }).fill(token)
    await page.getByRole('button', { name: 'Decode' }).click()
    await expectPlain(page, HOSTILE_CODE)
    for (const address of ['/rules/HOSTILE', '/HOSTILE', '/messages/app/search?rrid=HOSTILE', '/tree/app/HOSTILE']) {
      await page.goto(`${console.url}/console${address.replace('HOSTILE', encodeURIComponent(HOSTILE_CODE))}`)
      await page.getByRole('heading').first().waitFor()
      expect(await page.evaluate('[typeof xss, document.querySelectorAll("img").length]')).toEqual(['undefined', 0])
    }
    await page.context().close()
  })

  test('nothing of it was even tried: the policy had nothing to block', () => {
    expect(console.complaints).toEqual([])
  })
})
