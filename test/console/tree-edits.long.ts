import '../support/long-lane.ts'
import { describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { executablePath, MISSING } from './chromium.ts'
import { APP_SECRET, withConsole } from './console-browser.ts'

const HOSTILE = '<img src=x onerror="document.title=1">'
const title = `edits of the tree in the console${executablePath === undefined ? ` (${MISSING})` : ''}`

describe.skipIf(executablePath === undefined)(title, () => {
  const console = withConsole()

  async function read(path: string): Promise<unknown> {
    const reply = await fetch(`${console.url}${path}?format=export&auth=${encodeURIComponent(APP_SECRET)}`, {
      tls: { rejectUnauthorized: false },
    })
    return await reply.json()
  }

  const row = (page: Page, name: string | RegExp) => page.getByRole('treeitem', { name, exact: true })
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

  /** The button in the message of a write. */
  const undo = (page: Page, message: string) =>
    page.getByRole('status').filter({ hasText: message }).getByRole('button', { name: 'Undo' })

  /** Opens a node of the tree, and waits until changes are shown as they come. */
  async function openTree(path: string): Promise<Page> {
    const page = await console.open(`/tree/app${path}`)
    await page.getByText('live', { exact: true }).waitFor()
    return page
  }

  async function change(page: Page, name: string | RegExp, value: string): Promise<void> {
    await row(page, name).dblclick()
    await page.getByLabel('Value').fill(value)
    await page.keyboard.press('Enter')
  }

  test('of two people who edit one node, neither overwrites the other unseen', async () => {
    await console.send('PUT', '/pair.json', { a: 1 })
    const [ann, bob] = [await openTree('/pair'), await openTree('/pair')]
    await row(ann, 'a 1').dblclick()
    await ann.getByLabel('Value').fill('2')
    await change(bob, 'a 1', '3')
    await row(bob, 'a 3').waitFor()
    await ann.getByLabel('Value').press('Enter')
    const dialog = ann.getByRole('dialog', { name: 'The value has been changed meanwhile' })
    await dialog.getByText('It is now 3. Your value is 2.').waitFor()
    expect(await read('/pair.json')).toEqual({ a: 3 })
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await row(ann, 'a 3').waitFor()
    await change(ann, 'a 3', '4')
    await row(bob, 'a 4').waitFor()
    expect(await read('/pair.json')).toEqual({ a: 4 })
    for (const page of [ann, bob]) await page.context().close()
  })

  test('a type, a key and a priority are changed, and the priority survives the value', async () => {
    await console.send('PUT', '/typed.json', { a: { '.value': 1, '.priority': 5 }, taken: true })
    const page = await openTree('/typed')
    await row(page, /^a 1/).dblclick()
    await page.getByRole('combobox', { name: 'Type' }).selectOption('Text')
    await page.getByLabel('Value').fill('1')
    await page.keyboard.press('Enter')
    await row(page, 'a "1" priority 5').waitFor()
    await button(page, 'Priority').click()
    await page.getByRole('dialog').getByLabel('Priority').fill('first')
    await button(page, 'Save').click()
    await row(page, 'a "1" priority "first"').waitFor()
    await page.getByRole('tree').focus()
    await page.keyboard.press('F2')
    await page.getByLabel('New key').fill('taken')
    await page.keyboard.press('Enter')
    await page.getByText('There is already a node “taken”.').waitFor()
    await button(page, 'Rename').click()
    await page.getByLabel('New key').fill('b/c')
    await page.keyboard.press('Enter')
    await page.getByText('A key has none of . $ # [ ] /').waitFor()
    await page.getByLabel('New key').fill('b')
    await page.keyboard.press('Enter')
    await row(page, 'b "1" priority "first"').waitFor()
    expect(await read('/typed.json')).toEqual({ b: { '.value': '1', '.priority': 'first' }, taken: true })
    // Another client changes it while its new key is typed: it keeps its key, and nothing is overwritten.
    await row(page, 'b "1" priority "first"').click()
    await button(page, 'Rename').click()
    await page.getByLabel('New key').fill('d')
    await console.send('PUT', '/typed/b.json', 7)
    await page.keyboard.press('Enter')
    await page.getByText('The node has been changed meanwhile.').first().waitFor()
    expect(await read('/typed.json')).toEqual({ b: 7, taken: true })
    await page.context().close()
  })

  test('what is renamed stays selected with its children in view, and the address follows', async () => {
    await console.send('PUT', '/named.json', { first: { x: 1 }, other: 2 })
    const page = await openTree('/named')
    await row(page, 'first 1 child').dblclick()
    await row(page, 'x 1').waitFor()
    await page.getByRole('tree').press('F2')
    await page.getByLabel('New key').fill('second')
    await page.keyboard.press('Enter')
    await row(page, 'second 1 child').waitFor()
    await row(page, 'x 1').waitFor()
    expect(await page.getByRole('treeitem', { selected: true }).textContent()).toContain('second')
    // The tree has the focus again.
    await page.keyboard.press('ArrowDown')
    expect(await page.getByRole('treeitem', { selected: true }).textContent()).toBe('x1')
    await row(page, /^\/named/).click()
    await page.getByRole('tree').press('F2')
    await page.getByLabel('New key').fill('renamed')
    await page.keyboard.press('Enter')
    await page.waitForURL(`${console.url}/console/tree/app/renamed`)
    await row(page, '/renamed 2 children').waitFor()
    expect(await read('/renamed.json')).toEqual({ second: { x: 1 }, other: 2 })
    expect(await read('/named.json')).toBeNull()
    await page.context().close()
  })

  test('a child is added where there is none, and a deleted one comes back with its priorities', async () => {
    const held = { x: { '.value': 1, '.priority': 2 }, '.priority': 'p' }
    await console.send('PUT', '/list.json', { kept: 1, gone: held })
    const page = await openTree('/list')
    await row(page, '/list 2 children').click()
    await button(page, 'Add child').click()
    const dialog = page.getByRole('dialog', { name: 'Add a child' })
    await dialog.getByLabel('Key').fill('kept')
    await dialog.getByLabel('Value').fill('{"n": 1}')
    await button(page, 'Add').click()
    await page.getByText('There is already a node “kept”.').waitFor()
    await dialog.getByLabel('Key').fill('new')
    await button(page, 'Add').click()
    await row(page, 'new 1 child').waitFor()
    await undo(page, 'Added /list/new.').click()
    await row(page, /^new/).waitFor({ state: 'detached' })
    expect(await read('/list/new.json')).toBeNull()
    await button(page, 'Add child').click()
    await dialog.getByLabel('Key').fill('new')
    await dialog.getByLabel('Value').fill('{"n": 1}')
    await button(page, 'Add').click()
    await row(page, 'new 1 child').waitFor()
    await row(page, 'gone 1 child').click()
    await page.keyboard.press('Tab')
    await button(page, 'Delete').click()
    await row(page, /^gone/).waitFor({ state: 'detached' })
    expect(await read('/list.json')).toEqual({ kept: 1, new: { n: 1 } })
    await undo(page, 'Deleted /list/gone.').click()
    await row(page, 'gone 1 child').waitFor()
    expect(await read('/list.json')).toEqual({ kept: 1, new: { n: 1 }, gone: held })
    // What others have put there meanwhile is not replaced.
    await row(page, 'kept 1').click()
    await button(page, 'Delete').click()
    await undo(page, 'Deleted /list/kept.').waitFor()
    await console.send('PUT', '/list/kept.json', '"theirs"')
    await undo(page, 'Deleted /list/kept.').click()
    await page.getByText('Something else is there by now; it was left alone.').waitFor()
    expect(await read('/list/kept.json')).toBe('theirs')
    await page.context().close()
  })

  test('a list that has lost its only child shows the next one', async () => {
    await console.send('PUT', '/alone/list.json', { a: 1 })
    const page = await openTree('/alone/list')
    await row(page, 'a 1').click()
    await button(page, 'Delete').click()
    await row(page, '/alone/list null').waitFor()
    await undo(page, 'Deleted /alone/list/a.').click()
    await row(page, 'a 1').waitFor()
    await console.send('DELETE', '/alone/list/a.json')
    await row(page, '/alone/list null').waitFor()
    await console.send('PUT', '/alone/list/b.json', 2)
    await row(page, 'b 2').waitFor()
    expect(await row(page, /^a /).count()).toBe(0)
    await page.context().close()
  })

  /** Opens a node, and holds back the first answer to a question about it until `release` is called. */
  async function openHeld(path: string, question: RegExp) {
    const page = await console.open('')
    const [asked, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    await page.route(
      question,
      async (route) => {
        const reply = await route.fetch()
        asked.resolve()
        await released.promise
        await route.fulfill({ response: reply })
      },
      { times: 1 },
    )
    await page.goto(`${console.url}/console/tree/app${path}`)
    await page.getByText('live', { exact: true }).waitFor()
    await asked.promise
    return { page, release: () => released.resolve() }
  }

  test('a value that changes while it is read is shown as it has become', async () => {
    await console.send('PUT', '/read.json', { a: 1 })
    const { page, release } = await openHeld('/read', /read\/a\.json.*format=export/)
    await console.send('PUT', '/read/a.json', 2)
    await row(page, 'a 2').waitFor()
    const answered = page.waitForResponse(/read\/a\.json.*format=export/)
    release()
    await (await answered).finished()
    await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))')
    expect(await row(page, 'a 2').count()).toBe(1)
    await page.context().close()
  })

  test('a child that comes while the children are read is shown too', async () => {
    await console.send('PUT', '/children.json', { a: 1, c: 3 })
    const { page, release } = await openHeld('/children', /children\.json.*shallow=true/)
    await console.send('PUT', '/children/b.json', 2)
    await row(page, '/children 3 children').waitFor()
    release()
    await row(page, 'b 2').waitFor()
    const keys = await page.getByRole('treeitem').locator('.key').allTextContents()
    expect(keys).toEqual(['/children', 'a', 'b', 'c'])
    await page.context().close()
  })

  test('what a node is gets shown also while changes below it never cease', async () => {
    await console.send('PUT', '/busy.json', { rooms: { lobby: { a: 0, b: 0 } } })
    const page = await console.open('/tree/app/busy')
    const rooms = row(page, 'rooms 1 child')
    await rooms.waitFor()
    let isOver = false
    const writes = (async () => {
      for (let n = 0; !isOver; n++) {
        await console.send('PUT', '/busy/rooms/lobby/a.json?print=silent', n)
        // The view is drawn anew for each, and sooner than rows are asked for in a view that stands still.
        await Bun.sleep(14)
      }
    })()
    try {
      await rooms.and(page.locator('.changed')).first().waitFor()
      await rooms.dblclick()
      await row(page, 'lobby 2 children').waitFor()
    } finally {
      isOver = true
      await writes
    }
    await page.context().close()
  })

  test('hostile keys and values are shown as text everywhere', async () => {
    const key = HOSTILE.replaceAll('.', '')
    await console.send('PUT', '/hostile.json', {
      [key]: { '.value': HOSTILE, '.priority': HOSTILE },
      deep: { [key]: 1 },
    })
    const page = await openTree('/hostile')
    await row(page, 'deep 1 child').dblclick()
    await row(page, `${key} 1`).waitFor()
    await button(page, 'Query').click()
    await button(page, 'Run query').click()
    await page.getByRole('table', { name: 'Result' }).getByText(key).first().waitFor()
    await row(page, /^<img/).first().click()
    await button(page, 'Delete').click()
    await page.getByText('Deleted /hostile/<img').waitFor()
    await console.send('PUT', `/hostile/${encodeURIComponent(key)}.json`, JSON.stringify(HOSTILE))
    await page.goto(`${console.url}/console/tree/app/hostile/${encodeURIComponent(key)}`)
    await row(page, /^\/hostile\/<img/).waitFor()
    expect(await page.locator('img').count()).toBe(0)
    expect(await page.title()).toBe('Tree – Dhole')
    expect(console.complaints).toEqual([])
    await page.context().close()
  })

  test('rules decide what is seen as a user', async () => {
    const rules = { rules: { notes: { $uid: { '.read': 'auth.uid === $uid', '.write': 'auth.admin === true' } } } }
    await console.send('PUT', '/notes.json', { ann: { text: 'hers' }, bob: { text: 'his' } })
    await console.send('PUT', '/.settings/rules.json', rules)
    const page = await openTree('/notes/ann')
    await row(page, 'text "hers"').waitFor()
    await page.getByRole('button', { name: 'See as: admin' }).click()
    const dialog = page.getByRole('dialog', { name: 'See as' })
    await dialog.getByLabel('uid').fill('bob')
    await button(page, 'As this user').click()
    await page.getByText('not allowed to read').first().waitFor()
    await page.getByLabel('Path').fill('/notes/bob')
    await button(page, 'Go').click()
    await row(page, 'text "his"').waitFor()
    await change(page, 'text "his"', 'x')
    await page.getByRole('alert').getByText('Permission denied').waitFor()
    await page.getByRole('button', { name: 'See as: bob' }).click()
    await dialog.getByLabel('Claims').fill('{"admin": true}')
    await button(page, 'As this user').click()
    await row(page, 'text "his"').waitFor()
    await change(page, 'text "his"', 'new')
    await row(page, 'text "new"').waitFor()
    expect(await read('/notes/bob.json')).toEqual({ text: 'new' })
    await page.context().close()
  })
})
