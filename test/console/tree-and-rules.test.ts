import { describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { longTest } from '../support/lane.ts'
import { executablePath, MISSING } from './chromium.ts'
import { APP_SECRET, OPERATOR, withConsole } from './console-browser.ts'

const NOTES = '{"rules":{"notes":{"$uid":{".read":"auth.uid === $uid",".write":"auth.uid === $uid"}}}}'
const THEIRS = '{"rules":{".read":"auth != null"}}'

const title = `tree and rules in the console${executablePath === undefined ? ` (${MISSING})` : ''}`

describe.skipIf(executablePath === undefined)(title, () => {
  const console = withConsole()

  async function openRules(): Promise<Page> {
    const page = await console.open('/rules/app')
    await page.getByRole('textbox', { name: 'Rules' }).waitFor()
    return page
  }

  async function write(page: Page, rules: string): Promise<void> {
    await page.getByRole('textbox', { name: 'Rules' }).fill(rules)
  }

  async function publish(page: Page): Promise<void> {
    await page.getByRole('button', { name: 'Publish…' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click()
  }

  async function rulesInForce(): Promise<string> {
    const page = await console.open('/rules/app')
    await page.getByRole('textbox', { name: 'Rules' }).waitFor()
    const text = (await page.getByRole('textbox', { name: 'Rules' }).textContent()) ?? ''
    await page.context().close()
    return text
  }

  test('a person logs in, sees a value change, and changes one', async () => {
    await console.send('PUT', '/rooms.json', { lobby: { topic: 'Ahoy', size: 3 } })
    const page = await console.visit('/tree/app/rooms/lobby')
    await page.getByLabel('Secret').fill('a wrong one')
    await page.getByRole('button', { name: 'Log in' }).click()
    await page.getByRole('alert').waitFor()
    await page.getByLabel('Secret').fill(OPERATOR)
    await page.getByRole('button', { name: 'Log in' }).click()

    // The address leads to the node once the person is known.
    await page.getByRole('treeitem', { name: 'topic "Ahoy"' }).waitFor()
    await page.getByText('live', { exact: true }).waitFor()
    await console.send('PUT', '/rooms/lobby/topic.json', '"News"')
    await page.getByRole('treeitem', { name: 'topic "News"' }).waitFor()

    await page.getByRole('treeitem', { name: 'size 3' }).dblclick()
    await page.getByLabel('Value').fill('4')
    await page.keyboard.press('Enter')
    await page.getByRole('treeitem', { name: 'size 4' }).waitFor()
    const reply = await fetch(`${console.url}/rooms/lobby.json?auth=${encodeURIComponent(APP_SECRET)}`, {
      tls: { rejectUnauthorized: false },
    })
    expect(await reply.json()).toEqual({ topic: 'News', size: 4 })

    await page.getByRole('button', { name: 'Log out', exact: true }).click()
    await page.getByLabel('Secret').waitFor()
    expect(console.complaints).toEqual([])
    await page.context().close()
  })

  longTest('a rule is written, tried and published, and the refusal of a request is explained', async () => {
    const page = await openRules()
    await write(page, NOTES.replace('=== $uid', '=== $id'))
    await page.getByText('Line 1: unknown name "$id"').first().waitFor()
    await write(page, NOTES)
    await page.getByText('No mistakes.').waitFor()

    await page.getByLabel('Path').fill('/notes/ann')
    await page.getByRole('combobox', { name: 'As', exact: true }).selectOption('a user')
    await page.getByLabel('User (uid)').fill('bob')
    await page.getByRole('button', { name: 'Try', exact: true }).click()
    await page.getByText('Denied: read /notes/ann as bob').waitFor()
    const trace = page.getByRole('list', { name: 'Evaluated rules' })
    expect(await trace.textContent()).toContain('/notes/$uid .read: "auth.uid === $uid" is false')
    await page.getByLabel('User (uid)').fill('ann')
    await page.getByRole('button', { name: 'Try', exact: true }).click()
    await page.getByText('Allowed: read /notes/ann as ann').waitFor()

    await page.getByText('Open to everybody').waitFor()
    await publish(page)
    await page.getByText('These rules are in force.').waitFor()
    await page.getByText('Open to everybody').waitFor({ state: 'detached' })
    const refused = await fetch(`${console.url}/notes/ann.json`, { tls: { rejectUnauthorized: false } })
    expect(refused.status).toBe(403)

    await page.getByRole('link', { name: 'Home' }).click()
    await page.getByRole('radio', { name: 'Refused' }).click()
    const row = page.getByRole('table', { name: 'Refused requests' }).getByRole('row').filter({ hasText: '/notes/ann' })
    await row.first().waitFor()
    expect(await row.first().textContent()).toContain('auth.uid === $uid')
    expect(console.complaints).toEqual([])
    await page.context().close()
  })

  longTest('rules that others have published meanwhile are never replaced unseen', async () => {
    await console.send('PUT', '/.settings/rules.json', NOTES)
    const page = await openRules()
    await write(page, `${NOTES} // mine`)
    await console.send('PUT', '/.settings/rules.json', THEIRS)
    await publish(page)
    await page.getByText('Other rules were published meanwhile.').waitFor()
    expect(await rulesInForce()).toBe(THEIRS)
    await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click()
    await page.getByText('These rules are in force.').waitFor()
    expect(await rulesInForce()).toBe(`${NOTES} // mine`)
    await page.context().close()
  })
})
