import '../support/long-lane.ts'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { runDhole } from '../support/dhole-command.ts'
import { type TempDir, tempDir } from '../support/temp-dir.ts'
import { executablePath, MISSING, PATIENCE_MS } from './chromium.ts'
import { withConsole } from './console-browser.ts'

const title = `the editor of rules${executablePath === undefined ? ` (${MISSING})` : ''}`

/** With a comment, and a raw line break within a string. */
const RULES = '{"rules":{"notes":{"$uid":{ // of one user\n".read":"auth.uid === $uid &&\n  now > 0"}}}}'

describe.skipIf(executablePath === undefined)(title, () => {
  const console = withConsole()
  let dir: TempDir

  beforeAll(async () => {
    dir = await tempDir()
  })

  afterAll(() => dir[Symbol.asyncDispose]())

  async function open(rules: string): Promise<Page> {
    await console.send('PUT', '/.settings/rules.json', rules)
    const page = await console.open('/rules/app', { acceptDownloads: true })
    await page.getByRole('textbox', { name: 'Rules' }).waitFor()
    return page
  }

  /** Waits until the editor has a text. */
  async function expectText(page: Page, wanted: string): Promise<void> {
    const lines = page.getByRole('textbox', { name: 'Rules' }).locator('.cm-line')
    const text = async () => (await lines.allTextContents()).join('\n')
    const end = Date.now() + PATIENCE_MS
    while ((await text()) !== wanted && Date.now() < end) await page.evaluate('new Promise(requestAnimationFrame)')
    expect(await text()).toBe(wanted)
  }

  async function options(page: Page): Promise<readonly string[]> {
    const found = page.getByRole('listbox', { name: 'Completions' }).getByRole('option')
    await found.first().waitFor()
    return found.locator('.cm-completionLabel').allTextContents()
  }

  test('lays out, and leaves comments and strings as they are', async () => {
    const page = await open(RULES)
    await page.getByRole('button', { name: 'Format' }).click()
    await page.getByText('Changed, not published.').waitFor()
    await expectText(
      page,
      [
        ...['{', '  "rules": {', '    "notes": {', '      "$uid": { // of one user'],
        ...['        ".read": "auth.uid === $uid &&', '  now > 0"', '      }', '    }', '  }', '}'],
      ].join('\n'),
    )
    await page.getByText('No mistakes.').waitFor()
    await page.getByRole('button', { name: 'Show changes' }).click()
    await page.getByRole('dialog', { name: 'Changes' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Discard changes' }).click()
    await page.getByText('These rules are in force.').waitFor()
    await expectText(page, RULES)
    await page.context().close()
  })

  test('offers the names that may stand at the cursor', async () => {
    const page = await open('{"rules":{"$room":{}}}')
    const editor = page.getByRole('textbox', { name: 'Rules' })
    await editor.click()
    await page.keyboard.press('End')
    for (let back = 0; back < 3; back++) await page.keyboard.press('ArrowLeft')
    await page.keyboard.type('".')
    expect(await options(page)).toEqual(expect.arrayContaining(['.read', '.write', '.validate', '.indexOn']))
    await page.keyboard.press('Escape')
    await page.keyboard.type('write": "new')
    await page.getByRole('option', { name: 'newData' }).click()
    await page.keyboard.type('.ex')
    await page.getByRole('option', { name: 'exists' }).click()
    await page.keyboard.type(' && $')
    expect(await options(page)).toEqual(['$room'])
    await page.context().close()
  })

  test('goes back to earlier rules with one click', async () => {
    const page = await open('{"rules":{".read":true}}')
    await console.send('PUT', '/.settings/rules.json', '{"rules":{".read":false}}')
    await page.reload()
    const row = page.getByRole('table', { name: 'Published rules' }).getByRole('row').nth(2)
    await row.getByRole('button', { name: /^Go back/ }).click()
    await page.getByText('Changed, not published.').waitFor()
    await expectText(page, '{"rules":{".read":true}}')
    await page.context().close()
  })

  test('keeps cases in the browser, runs them, and as a file that `dhole rules test` knows', async () => {
    const rules = '{"rules":{"notes":{"$uid":{".write":"auth.uid === $uid"}}}}'
    const page = await open(rules)
    await page.getByRole('combobox', { name: 'Operation' }).selectOption('put')
    await page.getByLabel('Path').fill('/notes/ann')
    await page.getByLabel('Data (JSON)').fill('{"text": "Hello"}')
    await page.getByRole('button', { name: 'Try', exact: true }).click()
    await page.getByRole('button', { name: 'Keep as a case: must be denied' }).click()
    await page.getByRole('combobox', { name: 'As', exact: true }).selectOption('a user')
    await page.getByLabel('User (uid)').fill('ann')
    await page.getByRole('button', { name: 'Try', exact: true }).click()
    await page.getByText('Allowed: put /notes/ann as ann').waitFor()
    await page.getByRole('button', { name: 'Keep as a case: must be allowed' }).click()
    await page.reload()
    await page.getByRole('button', { name: 'Run all cases' }).click()
    await page.getByText('2 right, 0 wrong').waitFor()
    const downloading = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download' }).click()
    const file = `${dir.path}/cases.json`
    await (await downloading).saveAs(file)
    await Bun.write(`${dir.path}/rules.json`, rules)
    const { stdout, status } = await runDhole(['rules', 'test', `${dir.path}/rules.json`, file])
    expect([status, stdout]).toEqual([0, expect.stringContaining('2 passed, 0 failed')])
    await page.context().close()
  })

  test('tells nothing but what it is asked for', () => {
    expect(console.complaints).toEqual([])
  })
})
