import '../support/long-lane.ts'
import { describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { signatureOf } from '../../src/sms/model/signature.ts'
import { SdkClient } from '../support/sdk-client.ts'
import { clientOfProcess } from '../support/server-process.ts'
import { customToken, nowInSeconds } from '../support/token.ts'
import { executablePath, logIn, MISSING } from './chromium.ts'
import { APP_SECRET, withConsole } from './console-browser.ts'

const title = `pages of the console${executablePath === undefined ? ` (${MISSING})` : ''}`
const SMS_KEY = 'the sms key of the test suite, long'
const UNCHECKED = { tls: { rejectUnauthorized: false } } as const

describe.skipIf(executablePath === undefined)(title, () => {
  const console = withConsole({ SMS_KEY })

  async function statusOf(target: string): Promise<number> {
    const { status, body } = await fetch(`${console.url}${target}`, UNCHECKED)
    await body?.cancel()
    return status
  }

  /** What is shown of the settings of an application. They are read again after a change. */
  const settingsIn = (page: Page) => page.getByRole('region', { name: 'Settings', exact: true })

  /** The key that the open dialog shows, by its name. */
  async function keyIn(page: Page, name: string): Promise<string> {
    const key = page.getByRole('dialog').locator('.key').filter({ hasText: name }).getByRole('code')
    return (await key.textContent()) ?? ''
  }

  /** Agrees to the dialog that is open, which asks for a name. */
  async function agree(page: Page, name: string, action: string): Promise<void> {
    const button = page.getByRole('dialog').getByRole('button', { name: action, exact: true })
    expect(await button.isDisabled()).toBe(true)
    await page.getByRole('dialog').getByRole('textbox').fill(name)
    await button.click()
  }

  test('an application is added, gets a new secret, and is removed', async () => {
    const page = await console.open('/applications')
    await page.getByLabel('Name').fill('shop')
    await page.getByRole('button', { name: 'Add application' }).click()
    await page.getByRole('dialog', { name: 'Keys of “shop”' }).waitFor()
    const secret = await keyIn(page, 'super secret')
    expect((await keyIn(page, 'SMS key')).length).toBeGreaterThan(30)
    expect(await statusOf(`/a.json?app=shop&auth=${secret}`)).toBe(200)
    await page.getByRole('button', { name: 'I have them' }).click()
    await page.getByRole('table', { name: 'Applications' }).getByRole('link', { name: 'shop' }).click()
    await page.getByRole('heading', { name: 'shop' }).waitFor()

    await page.getByRole('button', { name: 'Replace the super secret…' }).click()
    await agree(page, 'shop', 'Replace')
    await page.getByRole('dialog', { name: 'New super secret of “shop”' }).waitFor()
    const fresh = await keyIn(page, 'super secret')
    await page.getByRole('button', { name: 'I have them' }).click()
    expect([
      await statusOf(`/a.json?app=shop&auth=${secret}`),
      await statusOf(`/a.json?app=shop&auth=${fresh}`),
    ]).toEqual([401, 200])

    await page.getByLabel('Delete its tree and text messages too').check()
    await page.getByRole('button', { name: 'Remove the application…' }).click()
    await agree(page, 'shop', 'Remove with its data')
    await page.getByRole('table', { name: 'Applications' }).waitFor()
    expect(await page.getByRole('link', { name: 'shop' }).count()).toBe(0)
    expect(await statusOf(`/a.json?app=shop&auth=${fresh}`)).toBe(404)
    await page.context().close()
  })

  test('the settings of an application are changed, and two who change them do not overwrite each other', async () => {
    await console.operate('add', { id: 'small', settings: { open: true } })
    const page = await console.open('/applications/small')
    await page.getByLabel('Largest write (bytes)').fill('ten')
    await page.getByRole('button', { name: 'Change the settings' }).click()
    await page.getByText('Largest write (bytes): expected a whole number, found “ten”').waitFor()
    await page.getByLabel('Largest write (bytes)').fill('10')
    await page.getByRole('combobox', { name: 'Dialect of queries' }).selectOption('Firebase')
    await page.getByRole('button', { name: 'Change the settings' }).click()
    await page.getByText('The settings of “small” are in force.').waitFor()
    const write = (body: string) => fetch(`${console.url}/a.json?ns=small`, { ...UNCHECKED, method: 'PUT', body })
    expect([(await write('"0123456789"')).status, (await write('1')).status]).toEqual([400, 200])
    await settingsIn(page).filter({ hasText: 'Firebase' }).waitFor()
    await console.operate('change-settings', { id: 'small', changes: { limits: { maxReadMs: 1000 } } })
    await page.getByLabel('Largest write (bytes)').fill('')
    await page.getByRole('button', { name: 'Change the settings' }).click()
    await page.getByRole('alert').getByText('have been changed meanwhile').waitFor()
    expect((await write('"0123456789"')).status).toBe(400)
    await page.goto(`${console.url}/console/applications/app`)
    await page.getByText('the settings of the server are its settings').waitFor()
    await page.getByRole('combobox', { name: 'Longest write' }).selectOption('medium: about 30 seconds')
    await page.getByRole('button', { name: 'Set the size of writes' }).click()
    await page.getByText('Writes to “app” are limited to “medium”.').waitFor()
    await settingsIn(page).filter({ hasText: 'medium' }).waitFor()
    await page.context().close()
  })

  test('a super secret opens its own application, and hides what only the operator may', async () => {
    const page = await console.visit('')
    await logIn(page, APP_SECRET, 'app')
    const pages = page.getByRole('navigation', { name: 'Pages' })
    expect(await pages.getByRole('link').allTextContents()).not.toContain('Backups')
    await page.getByRole('heading', { name: 'Requests' }).waitFor()
    expect(await page.getByRole('heading', { name: 'Findings' }).count()).toBe(0)
    await pages.getByRole('link', { name: 'Applications' }).click()
    await page.getByRole('heading', { name: 'app', exact: true }).waitFor()
    expect(await page.getByRole('button', { name: 'Remove the application…' }).count()).toBe(0)
    await page.goto(`${console.url}/console/backups`)
    await page.getByRole('heading', { name: 'Not for this session' }).waitFor()
    await page.context().close()
  })

  test('a logout everywhere ends the session of another browser too', async () => {
    const [one, other] = [await console.visit('/rules/app'), await console.visit('/rules/app')]
    for (const page of [one, other]) await logIn(page, APP_SECRET, 'app')
    await one.getByRole('button', { name: 'Log out everywhere' }).click()
    const dialog = one.getByRole('dialog', { name: 'Log out everywhere' })
    await dialog.getByText('Every session of “app” ends').waitFor()
    await dialog.getByRole('button', { name: 'Log out everywhere' }).click()
    await one.getByLabel('Secret').waitFor()
    await other.reload()
    await other.getByLabel('Secret').waitFor()
    for (const page of [one, other]) await page.context().close()
  })

  test('a token is made, accepted, and decoded; a wrong one is explained', async () => {
    const page = await console.open('/tokens/app')
    await page.getByLabel('User (uid)').fill('ann')
    await page.getByLabel('Claims (JSON)').fill('{"role": "editor"}')
    await page.getByRole('button', { name: 'Make', exact: true }).click()
    const token = (await page.locator('pre').first().textContent()) ?? ''
    expect(await statusOf(`/a.json?auth=${token}`)).toBe(200)
    await page.getByLabel('Token', { exact: true }).fill(token)
    await page.getByRole('button', { name: 'Decode' }).click()
    await page.getByText('The server accepts it.').waitFor()
    expect(await page.getByRole('heading', { name: 'Payload' }).locator('+ pre').textContent()).toContain('"editor"')
    await page.getByLabel('Token', { exact: true }).fill(`${token.slice(0, -4)}AAAA`)
    await page.getByRole('button', { name: 'Decode' }).click()
    await page.getByText('The server refuses it').waitFor()
    await page.context().close()
  })

  test('a stream is seen and ended', async () => {
    const headers = { Accept: 'text/event-stream' }
    const listening = await fetch(`${console.url}/rooms/lobby.json`, { ...UNCHECKED, headers })
    const page = await console.open('/streams/app')
    await page.getByRole('row').filter({ hasText: '/rooms/lobby' }).waitFor()
    await page.getByRole('button', { name: 'End the stream of /rooms/lobby' }).click()
    await page.getByText('No stream is open.').waitFor()
    expect(await listening.text()).toContain('event: put')
    await page.context().close()
  })

  test('connections of SDKs are seen with their users and listens; one is ended, and its client is told', async () => {
    await using ann = await SdkClient.connect(await clientOfProcess(console.server))
    await ann.request('auth', { cred: customToken(APP_SECRET, { v: 1, iat: nowInSeconds(), uid: 'ann' }) })
    await ann.request('q', { p: '/rooms/garden', h: '' })
    await ann.request('q', { p: '/rooms/kitchen', h: '' })
    const page = await console.open('/streams/app')
    const connections = page.getByRole('table', { name: 'Open connections' })
    const row = connections.getByRole('row').filter({ hasText: 'ann' })
    await row.waitFor()
    expect(await row.getByRole('cell').allTextContents()).toEqual([
      ...['ann', '127.0.0.1', 'WebSocket', expect.any(String), '2'],
      ...[expect.stringMatching(/ (bytes|KiB)$/), expect.stringMatching(/ (bytes|KiB)$/), 'End'],
    ])
    ann.take()
    await page.getByRole('button', { name: 'End the stream of /rooms/garden' }).click()
    await page.getByText('The stream of /rooms/garden is ended.').waitFor()
    expect(await ann.first(1)).toEqual(['c /rooms/garden'])
    await page.getByRole('button', { name: 'End the connection of ann' }).click()
    await page.getByText('The connection is ended.').waitFor()
    expect((await ann.closed.promise).code).toBe(1001)
    await page.getByText('No SDK is connected.').waitFor()
    await page.context().close()
  })

  test('an SDK whose connection is ended knows it, and comes back', async () => {
    const program = await Bun.build({
      entrypoints: [Bun.fileURLToPath(import.meta.resolve('../system/sdk/browser-program.ts'))],
      target: 'browser',
      format: 'iife',
      conditions: ['browser'],
    })
    const page = await console.open('/streams/app')
    const client = await page.context().newPage()
    await client.goto(`${console.url}/health`)
    await client.addScriptTag({ content: (await program.outputs[0]?.text()) ?? '' })
    await client.evaluate(`listen('${console.url}/?ns=app', 'rooms/lobby')`)
    await client.waitForFunction('seen.length === 1')
    await page.getByRole('button', { name: 'End the connection of 127.0.0.1' }).click()
    await page.getByText('The connection is ended.').waitFor()
    await client.waitForFunction('connected.join() === "false,true,false,true"')
    await page.getByRole('button', { name: 'End the connection of 127.0.0.1' }).waitFor()
    // It listens again where it did.
    await console.send('PUT', '/rooms/lobby.json', '"still here"')
    await client.waitForFunction('seen.at(-1) === "still here"')
    await page.context().close()
  })

  test('an index that a query has built is seen and dropped', async () => {
    // Shorter lists are sorted without an index.
    const many = Array.from({ length: 1000 }, (_, height) => [`d${height}`, { height }])
    await console.send('PUT', '/dinosaurs.json?print=silent', Object.fromEntries(many))
    await console.send('GET', '/dinosaurs.json?orderBy="height"&limitToFirst=1')
    const page = await console.open('/indexes/app')
    await page.getByRole('row').filter({ hasText: '/dinosaurs' }).getByText('height').waitFor()
    await page.getByRole('button', { name: 'Drop the index of /dinosaurs by height' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Drop' }).click()
    await page.getByRole('row').filter({ hasText: '/dinosaurs' }).waitFor({ state: 'detached' })
    await page.context().close()
  })

  test('a text message is found by its number, and a wrong signature is explained', async () => {
    const parameters = { mobiles: '["13800138000","13900139000"]', rrid: 'welcome-1', timestamp: String(Date.now()) }
    const right = signatureOf(Object.entries(parameters), SMS_KEY)
    const body = new URLSearchParams({ ...parameters, signature: right })
    expect((await fetch(`${console.url}/api/v1/app/batch/record`, { ...UNCHECKED, method: 'POST', body })).status).toBe(
      200,
    )
    const page = await console.open('/messages/app')
    await page.getByRole('row').filter({ hasText: 'welcome-1' }).getByText('2 not sent').waitFor()
    const parts = page.getByRole('navigation', { name: 'Text messages' })
    await parts.getByRole('link', { name: 'Search' }).click()
    await page.getByLabel('Number').fill('13900139000')
    await page.getByRole('button', { name: 'Search' }).click()
    const found = page.getByRole('table', { name: 'Messages' })
    await found.getByRole('cell', { name: '13900139000' }).waitFor()
    expect(await found.getByRole('cell', { name: '13800138000' }).count()).toBe(0)

    await parts.getByRole('link', { name: 'Carrier codes' }).click()
    await page.getByLabel('Filter').fill('blacklist')
    await page.getByRole('cell', { name: 'DB:Black' }).waitFor()
    expect(await page.getByRole('cell', { name: 'DELIVRD' }).count()).toBe(0)

    await parts.getByRole('link', { name: 'Signature checker' }).click()
    await page
      .getByLabel('URL', { exact: true })
      .fill(`${console.url}/api/v1/app/status?rrid=welcome-1&signature=${right}`)
    await page.getByRole('button', { name: 'Check' }).click()
    await page.getByText('The signature is wrong.').waitFor()
    const expected = signatureOf([['rrid', 'welcome-1']], SMS_KEY)
    await page.getByText(expected).waitFor()
    await page.getByLabel('Signature', { exact: true }).fill(expected)
    await page.getByRole('button', { name: 'Check' }).click()
    await page.getByText('The signature is right').waitFor()
    expect(await page.getByText(SMS_KEY).count()).toBe(0)
    await page.context().close()
  })

  test('nothing was blocked, and nothing failed, in the pages of these tests', () => {
    expect(console.complaints).toEqual([])
  })
})
