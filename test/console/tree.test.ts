import { describe, expect, test } from 'bun:test'
import { executablePath, MISSING, withConsole } from './console-browser.ts'

const title = `the tree in the console${executablePath === undefined ? ` (${MISSING})` : ''}`

describe.skipIf(executablePath === undefined)(title, () => {
  const console = withConsole()

  test('a person logs in, sees a value change, and changes one', async () => {
    await console.send('PUT', '/rooms.json', { lobby: { topic: 'Ahoy', size: 3 } })
    const page = await console.visit('/tree/app/rooms/lobby')
    await page.getByLabel('Secret').fill('a wrong one')
    await page.getByRole('button', { name: 'Log in' }).click()
    await page.getByRole('alert').waitFor()
    await page.getByLabel('Secret').fill('the operator of the test suite')
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
    const reply = await fetch(
      `${console.url}/rooms/lobby.json?auth=${encodeURIComponent('a secret of the test suite')}`,
      {
        tls: { rejectUnauthorized: false },
      },
    )
    expect(await reply.json()).toEqual({ topic: 'News', size: 4 })

    await page.getByRole('button', { name: 'Log out', exact: true }).click()
    await page.getByLabel('Secret').waitFor()
    expect(console.complaints).toEqual([])
    await page.context().close()
  })
})
