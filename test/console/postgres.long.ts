import '../support/long-lane.ts'
import { describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { whyNoPostgres } from '../support/postgres/cluster.ts'
import { databaseSettings } from '../support/postgres/server-settings.ts'
import { clientOfProcess, spawnServer } from '../support/server-process.ts'
import { executablePath, MISSING } from './chromium.ts'
import { withConsole } from './console-browser.ts'

const reason = executablePath === undefined ? MISSING : whyNoPostgres

describe.skipIf(reason !== undefined)(reason ?? 'the console on PostgreSQL', () => {
  const settings = whyNoPostgres === undefined ? databaseSettings() : {}
  const console = withConsole(settings)
  const row = (page: Page, name: string | RegExp) => page.getByRole('treeitem', { name, exact: true })
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

  test('every page shows what is there, and nothing fails', async () => {
    await console.send(
      'PUT',
      '/lists.json',
      Object.fromEntries(Array.from({ length: 2000 }, (_, n) => [`d${n}`, { n }])),
    )
    await console.send('GET', '/lists.json?orderBy="n"&limitToFirst=1')
    const page = await console.open('')
    for (const [path, shown] of [
      ['', 'PostgreSQL'],
      ['', 'All is well: reads and writes go through.'],
      ['', 'check'],
      ['/tree/app', '2,000 children'],
      ['/rules/app', 'Simulator'],
      ['/tokens/app', 'Decode a token'],
      ['/streams/app', 'Streams'],
      ['/indexes/app', '/lists'],
      ['/messages/app', 'Batches'],
      ['/applications', 'Add an application'],
      ['/applications/app', 'the settings of the server are its settings'],
      ['/backups', 'pg_dump --format=custom'],
    ] as const) {
      await page.goto(`${console.url}/console${path}`)
      await page.getByText(shown).first().waitFor()
      await page.getByText('Loading').first().waitFor({ state: 'detached' })
      expect([path, await page.getByRole('alert').allTextContents()]).toEqual([path, []])
    }
    expect(console.complaints).toEqual([])
    await page.context().close()
  })

  test('a page of one server shows what another one writes, and its edits are refused where that has changed them', async () => {
    await using second = await spawnServer({ ...settings, LOG_LEVEL: 'warn' })
    const other = await clientOfProcess(second)
    const put = (path: string, body: string) =>
      other.call('PUT', `${path}?auth=${encodeURIComponent('a secret of the test suite')}`, { body })
    await put('/pair.json', '{"a": 1}')
    const page = await console.open('/tree/app/pair')
    await row(page, 'a 1').waitFor()
    await page.getByText('live', { exact: true }).waitFor()
    await put('/pair/a.json', '2')
    await row(page, 'a 2').waitFor()
    await row(page, 'a 2').dblclick()
    await page.getByLabel('Value').fill('3')
    await put('/pair/a.json', '4')
    await page.getByLabel('Value').press('Enter')
    const dialog = page.getByRole('dialog', { name: 'The value has been changed meanwhile' })
    await dialog.getByText('It is now 4. Your value is 3.').waitFor()
    await dialog.getByRole('button', { name: 'Write mine' }).click()
    await row(page, 'a 3').waitFor()
    await row(page, 'a 3').click()
    await button(page, 'Delete').click()
    await page.getByRole('status').filter({ hasText: 'Deleted' }).getByRole('button', { name: 'Undo' }).click()
    await row(page, 'a 3').waitFor()
    await page.context().close()
  })

  test('rules are published and brought back, and an application is added, set and removed', async () => {
    const page = await console.open('/rules/app')
    await page.getByRole('textbox', { name: 'Rules' }).fill('{"rules": {".read": true}}')
    await button(page, 'Publish…').click()
    await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page
      .getByRole('button', { name: /^Show what was published/ })
      .first()
      .waitFor()
    await page.goto(`${console.url}/console/applications`)
    await page.getByLabel('Name').fill('shop')
    await button(page, 'Add application').click()
    await button(page, 'I have them').click()
    await page.getByRole('link', { name: 'shop' }).click()
    await page.getByLabel('Largest write (bytes)').fill('10')
    await button(page, 'Change the settings').click()
    await page.getByText('The settings of “shop” are in force.').waitFor()
    await button(page, 'Remove the application…').click()
    await page.getByRole('dialog').getByRole('textbox').fill('shop')
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await page.getByText('The application “shop” is removed').waitFor()
    expect(console.complaints).toEqual([])
    await page.context().close()
  })
})
