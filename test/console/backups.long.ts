import '../support/long-lane.ts'
import { describe, expect, test } from 'bun:test'
import { executablePath, MISSING } from './chromium.ts'
import { APP_SECRET, withConsole } from './console-browser.ts'

const title = `backups in the console${executablePath === undefined ? ` (${MISSING})` : ''}`

describe.skipIf(executablePath === undefined)(title, () => {
  const console = withConsole()

  async function value(path: string): Promise<unknown> {
    const url = `${console.url}${path}.json?auth=${encodeURIComponent(APP_SECRET)}`
    return (await fetch(url, { tls: { rejectUnauthorized: false } })).json()
  }

  test('a backup is made, and a tree is what it was after a restore', async () => {
    await console.send('PUT', '/notes.json', { monday: 'Buy milk' })
    const page = await console.open('/backups')
    await page.getByText('There is no backup yet.').waitFor()
    await page.getByRole('button', { name: 'Make a backup now' }).click()
    await page.getByText(/^The last backup “.*” succeeded/).waitFor()
    const restore = page.getByRole('button', { name: /^Restore app from / })
    await restore.waitFor()

    await console.send('PUT', '/notes.json', { monday: 'gone' })
    await restore.click()
    const dialog = page.getByRole('dialog', { name: 'Restore “app”' })
    const agree = dialog.getByRole('button', { name: 'Restore' })
    await dialog.getByRole('textbox').fill('ap')
    expect(await agree.isDisabled()).toBe(true)
    await page.keyboard.press('Escape')
    expect(await value('/notes')).toEqual({ monday: 'gone' })

    await restore.click()
    await dialog.getByRole('textbox').fill('app')
    await agree.click()
    await page.getByText(/^The last restore from “.*” succeeded/).waitFor()
    expect(await value('/notes')).toEqual({ monday: 'Buy milk' })
    await page.context().close()
  })

  test('of several applications those are backed up that are chosen', async () => {
    await console.operate('add', { id: 'shop', settings: {} })
    const page = await console.open('/backups')
    const group = page.getByRole('group', { name: 'Applications' })
    const shop = group.getByLabel('shop')
    const [frame, box] = [await group.boundingBox(), await shop.boundingBox()]
    // It once stood in the corner of the page.
    expect(box?.y).toBeGreaterThan(frame?.y ?? Number.POSITIVE_INFINITY)
    await shop.uncheck()
    const before = await page.getByRole('button', { name: /^Restore / }).count()
    await page.getByRole('button', { name: 'Make a backup now' }).click()
    const outcome = page.getByText(/^The last backup/)
    await outcome.waitFor()
    expect(await outcome.textContent()).toContain('succeeded')
    await page
      .getByRole('button', { name: /^Restore / })
      .nth(before)
      .waitFor()
    expect(await page.getByRole('button', { name: /^Restore shop from / }).count()).toBe(0)
    expect(console.complaints).toEqual([])
    await page.context().close()
  })

  test('a backup that begins and ends between two looks at the server appears', async () => {
    const page = await console.open('/')
    await page.clock.install()
    await page.goto(`${console.url}/console/backups`)
    const restores = page.getByRole('button', { name: /^Restore app from / })
    await restores.first().waitFor()
    await page.getByText(/^The last /).waitFor()
    const before = await restores.count()
    await console.operate('backup-make', { ids: ['app'] })
    while (JSON.stringify(await console.operate('backup-state', {})).includes('"running"'));
    await page.clock.fastForward(10_000)
    await restores.nth(before).waitFor()
    await page.context().close()
  })
})
