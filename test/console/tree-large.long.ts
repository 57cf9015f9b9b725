import '../support/long-lane.ts'
import { beforeAll, describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { tempDir } from '../support/temp-dir.ts'
import { executablePath, MISSING } from './chromium.ts'
import { APP_SECRET, withConsole } from './console-browser.ts'

/** A node that one write can hold, and one of more members than one write may have. */
const CHILDREN = 60_000
const TOO_MANY = 250_000
const PER_WRITE = 125_000
/** Two of them are more than `MAX_WRITE_BYTES` lets one write have. */
const HALF_BYTES = 9 * 1024 * 1024
const title = `large nodes in the console${executablePath === undefined ? ` (${MISSING})` : ''}`

describe.skipIf(executablePath === undefined)(title, () => {
  const console = withConsole()

  const row = (page: Page, name: string | RegExp) => page.getByRole('treeitem', { name, exact: true })
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
  const keyOf = (index: number) => `k${String(index).padStart(7, '0')}`
  const childrenOf = (from: number, to: number) =>
    Object.fromEntries(
      Array.from({ length: to - from }, (_, index) => [keyOf(from + index), `${from + index}${'x'.repeat(90)}`]),
    )
  const undo = (page: Page, message: string) =>
    page.getByRole('status').filter({ hasText: message }).getByRole('button', { name: 'Undo' })

  async function read(path: string): Promise<string> {
    const reply = await fetch(`${console.url}${path}auth=${encodeURIComponent(APP_SECRET)}`, {
      tls: { rejectUnauthorized: false },
    })
    return await reply.text()
  }

  const whole = { ...childrenOf(0, CHILDREN), first: { '.value': 1, '.priority': 2 } }

  beforeAll(async () => {
    if (executablePath === undefined) return
    await console.send('PUT', '/large.json?print=silent', whole)
    for (let from = 0; from < TOO_MANY; from += PER_WRITE) {
      const some = Array.from({ length: PER_WRITE }, (_, index) => [keyOf(from + index), 1])
      await console.send('PATCH', '/huge.json?print=silent', Object.fromEntries(some))
    }
  })

  async function openRoot(): Promise<Page> {
    const page = await console.open('/tree/app')
    await page.getByText('live', { exact: true }).waitFor()
    return page
  }

  test('a deleted node of megabytes comes back with all it held, unless something is there by then', async () => {
    const page = await openRoot()
    await row(page, /^large 60,001 children/).click()
    await button(page, 'Delete').click()
    await row(page, /^large/).waitFor({ state: 'detached' })
    expect(await read('/large.json?')).toBe('null')
    await undo(page, 'Deleted /large.').click()
    await page.getByText('/large is there again.').waitFor()
    await row(page, /^large 60,001 children/).waitFor()
    expect(JSON.parse(await read('/large.json?format=export&'))).toEqual(whole)
    await row(page, /^large/).click()
    await button(page, 'Delete').click()
    await undo(page, 'Deleted /large.').waitFor()
    await console.send('PUT', '/large.json', { theirs: 1 })
    await undo(page, 'Deleted /large.').click()
    await page.getByText('Something else is there by now; it was left alone.').waitFor()
    expect(await read('/large.json?')).toBe('{"theirs":1}')
    await page.context().close()
  })

  test('what no write could put back is deleted after its name is typed, and only as it was shown', async () => {
    const page = await openRoot()
    await row(page, /^huge 250,000 children/).click()
    await button(page, 'Delete').click()
    const dialog = page.getByRole('dialog', { name: 'Delete a large node' })
    await dialog.getByRole('textbox').fill('hug')
    expect(await dialog.getByRole('button', { name: 'Delete' }).isDisabled()).toBe(true)
    await dialog.getByRole('textbox').fill('huge')
    await console.send('PUT', '/huge/new.json', 1)
    await dialog.getByRole('button', { name: 'Delete' }).click()
    const again = page.getByRole('dialog', { name: 'The node has been changed meanwhile' })
    await again.getByRole('button', { name: 'Cancel' }).click()
    expect(await read('/huge.json?count=true&')).toBe('250001')
    await page.context().close()
  })

  test('what is longer than one write is said to be gone for good before it is deleted, and no message offers it back', async () => {
    const text = JSON.stringify('z'.repeat(HALF_BYTES))
    for (const half of ['a', 'b']) await console.send('PUT', `/long/${half}.json?print=silent`, text)
    const page = await openRoot()
    await row(page, 'long 2 children').click()
    await button(page, 'Delete').click()
    const dialog = page.getByRole('dialog', { name: 'Delete a large node' })
    await dialog.getByText('cannot be put back afterwards').waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    expect(await read('/long.json?count=true&')).toBe('2')
    await button(page, 'Delete').click()
    await dialog.getByRole('textbox').fill('long')
    await dialog.getByRole('button', { name: 'Delete' }).click()
    const message = page.getByRole('status').filter({ hasText: 'Deleted /long.' })
    await message.waitFor()
    expect(await message.getByRole('button').allTextContents()).toEqual(['×'])
    expect(await read('/long.json?')).toBe('null')
    await page.context().close()
  })

  test('a file replaces a large node as it was shown, and that can be undone; one that is changed meanwhile stays', async () => {
    await using dir = await tempDir()
    const file = dir.file('small.json')
    writeFileSync(file, '{"imported": true}')
    await console.send('PUT', '/target.json?print=silent', whole)
    const page = await openRoot()
    await row(page, /^target 60,001 children/).click()
    await page.getByLabel('Import').setInputFiles(file)
    const question = page.getByRole('dialog', { name: 'Import a file' })
    await question.waitFor()
    await console.send('PUT', '/target/k0000000.json', '"theirs"')
    await question.getByRole('button', { name: 'Replace' }).click()
    const again = page.getByRole('dialog', { name: 'The node has been changed meanwhile' })
    await again.getByRole('button', { name: 'Cancel' }).click()
    expect(await read('/target/k0000000.json?')).toBe('"theirs"')

    await page.getByLabel('Import').setInputFiles(file)
    await question.getByRole('button', { name: 'Replace' }).click()
    await row(page, 'target 1 child').waitFor()
    expect(await read('/target.json?')).toBe('{"imported":true}')
    await undo(page, 'Imported small.json at /target.').click()
    await page.getByText('/target is what it was.').waitFor()
    expect(JSON.parse(await read('/target.json?format=export&'))).toEqual({ ...whole, k0000000: 'theirs' })
    await page.context().close()
  })

  test('a file is dropped on a node, and one that is too large is refused before it is sent', async () => {
    const page = await openRoot()
    await button(page, 'Add child').click()
    await page.getByLabel('Key').fill('dropped')
    await page.getByLabel('Value').fill('1')
    await button(page, 'Add').click()
    await row(page, 'dropped 1').click()
    const drop = (size: number) =>
      page.evaluate((length) => {
        const { DataTransfer, File, DragEvent, document } = globalThis as unknown as Dropping
        const dataTransfer = new DataTransfer()
        dataTransfer.items.add(new File([JSON.stringify('y'.repeat(length))], 'dropped.json'))
        document.querySelector('[role=tree]').dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true }))
      }, size)
    await drop(20 * 1024 * 1024)
    await page.getByRole('alert').getByText('one write takes 16.0 MiB').waitFor()
    await drop(10)
    await page.getByRole('dialog', { name: 'Import a file' }).getByRole('button', { name: 'Replace' }).click()
    await row(page, 'dropped "yyyyyyyyyy"').waitFor()
    expect(console.complaints).toEqual([])
    await page.context().close()
  })
})

/** What of a page's globals is used inside it. */
interface Dropping {
  readonly DataTransfer: new () => { readonly items: { add(file: unknown): void } }
  readonly File: new (parts: readonly string[], name: string) => unknown
  readonly DragEvent: new (name: string, init: object) => unknown
  readonly document: { querySelector(selector: string): { dispatchEvent(event: unknown): void } }
}
