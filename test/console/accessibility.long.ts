import '../support/long-lane.ts'
import { describe, expect, test } from 'bun:test'
import type { AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'
import { executablePath, MISSING } from './chromium.ts'
import { withConsole } from './console-browser.ts'

const AXE = await Bun.file(Bun.fileURLToPath(import.meta.resolve('axe-core/axe.min.js'))).text()

/** Every page, and what it shows when it is there. */
const PAGES = [
  ['', 'The last hour'],
  ['/tree/app', 'Tree'],
  ['/rules/app', 'Simulator'],
  ['/tokens/app', 'Decode a token'],
  ['/streams/app', 'Streams'],
  ['/indexes/app', 'Indexes'],
  ['/messages/app', 'Batches'],
  ['/messages/app/search', 'Search'],
  ['/messages/app/codes', 'Carrier codes'],
  ['/messages/app/signature', 'Signature checker'],
  ['/applications', 'Add an application'],
  ['/applications/app', 'Keys'],
  ['/applications/shop', 'Change the settings'],
  ['/backups', 'Backups'],
  ['/nothing', 'No such page'],
] as const

const LOOKS = [
  { name: 'light', colorScheme: 'light', viewport: { width: 1280, height: 900 } },
  { name: 'dark, on a phone', colorScheme: 'dark', viewport: { width: 390, height: 800 } },
] as const

const title = `accessibility of the console${executablePath === undefined ? ` (${MISSING})` : ''}`

describe.skipIf(executablePath === undefined)(title, () => {
  const console = withConsole()

  /** What axe finds, in a line for each. */
  async function faults(page: Page): Promise<readonly string[]> {
    await page.evaluate(AXE)
    const { violations } = (await page.evaluate('axe.run()')) as AxeResults
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
    )
  }

  test('of the login', async () => {
    const page = await console.visit('')
    await page.getByRole('button', { name: 'Log in' }).waitFor()
    expect(await faults(page)).toEqual([])
    await page.context().close()
  })

  test.each(LOOKS)('of every page, $name', async ({ name: _, ...look }) => {
    await console.send('PUT', '/lists.json', { a: { height: 1 }, b: { height: 2, text: '<b>' } })
    await console.send('GET', '/lists.json?orderBy="height"&limitToFirst=1')
    await console.operate('add', { id: 'shop', settings: { open: true } }).catch(() => {})
    const page = await console.open('', look)
    const found: string[] = []
    for (const [path, heading] of PAGES) {
      await page.goto(`${console.url}/console${path}`)
      await page.getByRole('heading', { name: heading }).first().waitFor()
      await page.getByText('Loading').first().waitFor({ state: 'detached' })
      found.push(...(await faults(page)).map((fault) => `${path} ${fault}`))
      // Nothing is wider than the page: one scrolls down alone.
      const isTooWide = await page.evaluate('document.documentElement.scrollWidth > innerWidth')
      if (isTooWide) found.push(`${path} is wider than the window`)
    }
    expect(found).toEqual([])
    expect(console.complaints).toEqual([])
    await page.context().close()
  })

  test('of dialogs: the keyboard stays inside, and goes back to where it was', async () => {
    const page = await console.open('/applications/app')
    await page.getByRole('button', { name: 'Replace the SMS key…' }).focus()
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Replace the SMS key of “app”' })
    await dialog.waitFor()
    expect(await faults(page)).toEqual([])
    expect(await dialog.getByRole('button', { name: 'Replace', exact: true }).isDisabled()).toBe(true)
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    expect(await page.evaluate('document.activeElement?.textContent')).toBe('Replace the SMS key…')
    await page.context().close()
  })
})
