import '../support/long-lane.ts'
import { describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { startAtTerminal } from '../support/terminal.ts'
import { executablePath, launchBrowser, logIn, MISSING, PATIENCE_MS } from './chromium.ts'

const title = `a first hour with the console${executablePath === undefined ? ` (${MISSING})` : ''}`
const RULES = '{"rules":{"notes":{"$uid":{".read":"auth.uid === $uid",".write":"auth.uid === $uid"}}}}'

describe.skipIf(executablePath === undefined)(title, () => {
  test('what the start prints leads to live data, a rule, the reason of a refusal, and a restored backup', async () => {
    const server = await startAtTerminal()
    const browser = await launchBrowser()
    const context = await browser.newContext({ ignoreHTTPSErrors: true })
    const row = (page: Page, name: string | RegExp) => page.getByRole('treeitem', { name, exact: true })
    const add = async (page: Page, parent: RegExp, key: string, value: string) => {
      await row(page, parent).click()
      await page.getByRole('button', { name: 'Add child' }).click()
      await page.getByLabel('Key', { exact: true }).fill(key)
      await page.getByRole('dialog').getByLabel('Value').fill(value)
      await page.getByRole('button', { name: 'Add', exact: true }).click()
    }
    try {
      const [, address = ''] = /^ +open +(https:\S+)/m.exec(server.output()) ?? []
      const [, secret = ''] =
        /secret of the operator for the console, shown only now: (\S+)/.exec(server.output()) ?? []
      const page = await context.newPage()
      page.setDefaultTimeout(PATIENCE_MS)
      await page.goto(address)
      await page.getByRole('link', { name: /console/i }).click()
      await logIn(page, secret)
      await page.getByText('All is well: reads and writes go through.').waitFor()

      // Another window changes what this one shows.
      await page.getByRole('link', { name: 'Tree', exact: true }).click()
      await page.getByText('live', { exact: true }).waitFor()
      const other = await context.newPage()
      other.setDefaultTimeout(PATIENCE_MS)
      await other.goto(page.url())
      await add(other, /^\/ /, 'notes', '{"ann": "Buy milk"}')
      await row(page, 'notes 1 child').waitFor()

      await page.getByRole('link', { name: 'Backups' }).click()
      await page.getByRole('button', { name: 'Make a backup now' }).click()
      await page.getByText(/^The last backup “.*” succeeded/).waitFor()

      // A rule, and the reason why it refuses Bob: tried, and then for a request.
      await page.getByRole('link', { name: 'Rules', exact: true }).click()
      await page.getByRole('textbox', { name: 'Rules' }).fill(RULES)
      await page.getByText('No mistakes.').waitFor()
      await page.getByLabel('Path').fill('/notes/ann')
      await page.getByRole('combobox', { name: 'As', exact: true }).selectOption('a user')
      await page.getByLabel('User (uid)').fill('bob')
      await page.getByRole('button', { name: 'Try', exact: true }).click()
      await page.getByText('Denied: read /notes/ann as bob').waitFor()
      await page.getByRole('button', { name: 'Publish…' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click()
      await page.getByText('These rules are in force.').waitFor()
      await other.goto(`${address}/notes/ann.json`)
      await page.getByRole('link', { name: 'Home' }).click()
      await page.getByRole('radio', { name: 'Refused' }).click()
      const refused = page
        .getByRole('table', { name: 'Refused requests' })
        .getByRole('row')
        .filter({ hasText: '/notes/ann' })
      await refused.first().waitFor()
      expect(await refused.first().textContent()).toContain('auth.uid === $uid')

      await page.getByRole('link', { name: 'Tree', exact: true }).click()
      await row(page, 'notes 1 child').click()
      await page.getByRole('button', { name: 'Delete', exact: true }).click()
      await row(page, /^notes/).waitFor({ state: 'detached' })
      await page.getByRole('link', { name: 'Backups' }).click()
      await page.getByRole('button', { name: /^Restore app from / }).click()
      const dialog = page.getByRole('dialog', { name: 'Restore “app”' })
      await dialog.getByRole('textbox').fill('app')
      await dialog.getByRole('button', { name: 'Restore' }).click()
      await page.getByText(/^The last restore from “.*” succeeded/).waitFor()
      await page.getByRole('link', { name: 'Tree', exact: true }).click()
      await row(page, 'notes 1 child').dblclick()
      await row(page, 'ann "Buy milk"').waitFor()
    } finally {
      await browser.close()
      await server.stop()
    }
  })
})
