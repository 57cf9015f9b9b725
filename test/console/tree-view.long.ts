import '../support/long-lane.ts'
import { beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { tempDir } from '../support/temp-dir.ts'
import { executablePath, MISSING } from './chromium.ts'
import { APP_SECRET, withConsole } from './console-browser.ts'

/** Children of the large node, and how many of them a page of the test scrolls through. */
const CHILDREN = 1_000_000
const SCROLLED = 100_000
const PER_WRITE = 100_000
const ROW_HEIGHT = 28
const MEGABYTE = 1024 * 1024

const BACKGROUND_OF_A = `getComputedStyle(
  [...document.querySelectorAll('[role=treeitem]')].find(({ textContent }) => textContent.startsWith('a')),
).backgroundColor`
/** Looks in each frame until something is so. */
const inFrames = (condition: string) =>
  `(async () => { while (!(${condition})) await new Promise(requestAnimationFrame) })()`

const title = `the view of the tree in the console${executablePath === undefined ? ` (${MISSING})` : ''}`

describe.skipIf(executablePath === undefined)(title, () => {
  const console = withConsole({ MAX_WRITE_BYTES: String(64 * MEGABYTE) })

  const row = (page: Page, name: string | RegExp) => page.getByRole('treeitem', { name, exact: true })
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
  const keyOf = (index: number) => `k${String(index).padStart(7, '0')}`

  beforeAll(async () => {
    if (executablePath === undefined) return
    for (let from = 0; from < CHILDREN; from += PER_WRITE) {
      const keys = Array.from({ length: PER_WRITE }, (_, index) => [keyOf(from + index), { n: from + index }])
      await console.send('PATCH', '/large.json?print=silent', Object.fromEntries(keys))
    }
  })

  /** Requests for nodes that a page makes. */
  function requestsOf(page: Page): URL[] {
    const asked: URL[] = []
    page.on('request', (request) => {
      const url = new URL(request.url())
      if (url.pathname.endsWith('.json')) asked.push(url)
    })
    return asked
  }

  test('a million children are scrolled by pages that are dropped again', async () => {
    const page = await console.open('/tree/app')
    const asked = requestsOf(page)
    await row(page, 'large 1,000,000 children').dblclick()
    await row(page, `${keyOf(3)} 1 child`).waitFor()
    const protocol = await page.context().newCDPSession(page)
    const rows = await page.evaluate(
      async ([wanted, height]) => {
        const { document, requestAnimationFrame } = globalThis as unknown as Scrolling
        const tree = document.querySelector('[role=tree]')
        // Never further than what is loaded: the list grows as its end comes into view.
        for (let still = 0; tree.scrollTop < wanted * height && still < 1000; ) {
          const before = tree.scrollTop
          tree.scrollTop = before + 100 * height
          await new Promise((resolve) => requestAnimationFrame(resolve))
          still = tree.scrollTop === before ? still + 1 : 0
        }
        return tree.scrollTop / height
      },
      [SCROLLED, ROW_HEIGHT] as const,
    )
    expect(rows).toBeGreaterThanOrEqual(SCROLLED - 1)
    await protocol.send('HeapProfiler.collectGarbage')
    const { usedSize } = (await protocol.send('Runtime.getHeapUsage')) as { readonly usedSize: number }
    expect(usedSize / MEGABYTE).toBeLessThan(100)
    expect(await page.getByRole('treeitem').count()).toBeLessThan(100)
    // The node was never asked for as a whole.
    const whole = asked.filter(
      ({ pathname, searchParams: given }) =>
        pathname === '/large.json' && !given.has('limitToFirst') && !given.has('count') && !given.has('resume'),
    )
    expect(whole.map(({ href }) => href)).toEqual([])
    // What was dropped is loaded again.
    await page.getByRole('tree').press('Home')
    await row(page, `${keyOf(3)} 1 child`).waitFor()
    await row(page, 'large 1,000,000 children').click()
    await button(page, 'Jump…').click()
    await page.getByLabel('Key, or how it begins').fill('k07')
    await button(page, 'Jump to key').click()
    await row(page, `${keyOf(700_000)} 1 child`).waitFor()
    await button(page, 'Show earlier children').click()
    await row(page, `${keyOf(699_800)} 1 child`).waitFor()
    await row(page, 'large 1,000,000 children').click()
    await button(page, 'Jump…').click()
    await button(page, 'Last children').click()
    await row(page, `${keyOf(CHILDREN - 1)} 1 child`).waitFor()
    expect(console.complaints).toEqual([])
    await page.context().close()
  })

  test('the scroll bar leads to any of a million children, and the wheel moves row by row from there', async () => {
    const page = await console.open('/tree/app/large')
    await row(page, '/large 1,000,000 children').waitFor()
    const tree = page.getByRole('tree')
    const keysInView = async () => {
      const keys = await page.getByRole('treeitem').locator('.key').allTextContents()
      return keys.filter((key) => key.startsWith('k')).map((key) => Number(key.slice(1)))
    }
    const drag = (part: number) =>
      tree.evaluate((element, to) => {
        const { scrollHeight, clientHeight } = element
        element.scrollTop = to * (scrollHeight - clientHeight)
      }, part)
    const showsNear = (index: number) =>
      page.waitForFunction(
        ([wanted]) => {
          const { document } = globalThis as unknown as Drawn
          const keys = [...document.querySelectorAll('[role=treeitem] .key')]
          return keys.length > 10 && keys.some((key) => Math.abs(Number(key.textContent.slice(1)) - wanted) < 1000)
        },
        [index] as const,
      )
    for (const [part, index] of [
      [0.5, 500_000],
      [0.25, 172_600],
      [1, CHILDREN - 1],
    ] as const) {
      await drag(part)
      await showsNear(index)
      const shown = await keysInView()
      expect(shown).toEqual(shown.map((_, place) => (shown[0] ?? 0) + place))
    }
    await row(page, new RegExp(`^${keyOf(CHILDREN - 1)}`)).waitFor()
    await drag(0.5)
    await showsNear(500_000)
    // A row stands where it stood, less the way of the wheel, until it has left the view.
    const [middle = 0] = (await keysInView()).slice(12)
    const topOf = async (key: string) => (await row(page, new RegExp(`^${key}`)).boundingBox())?.y ?? Number.NaN
    const before = await topOf(keyOf(middle))
    await tree.hover()
    for (let turned = 1; turned <= 4; turned++) {
      await page.mouse.wheel(0, ROW_HEIGHT)
      await page.waitForFunction(
        ([key, y]) => {
          const { document } = globalThis as unknown as Drawn
          const rows = [...document.querySelectorAll('[role=treeitem]')]
          const found = rows.find((candidate) => candidate.textContent.startsWith(key))
          return found !== undefined && Math.abs(found.getBoundingClientRect().y - y) <= 1
        },
        [keyOf(middle), before - turned * ROW_HEIGHT] as const,
      )
    }
    await tree.press('Home')
    await row(page, `${keyOf(0)} 1 child`).waitFor()
    expect(console.complaints).toEqual([])
    await page.context().close()
  })

  test('many changes a second are taken together, and the end of them is shown', async () => {
    await console.send('PUT', '/busy.json', Object.fromEntries(Array.from({ length: 300 }, (_, index) => [index, 0])))
    const page = await console.open('/tree/app/busy')
    await page.getByText('live', { exact: true }).waitFor()
    await row(page, '0 0').waitFor()
    for (let round = 1; round <= 50; round++) {
      const writes = Array.from({ length: 100 }, (_, index) => console.send('PUT', `/busy/${index % 30}.json`, round))
      await Promise.all([...writes, console.send('PUT', `/busy/a${round}.json`, round)])
      if (round % 2 === 0) await console.send('DELETE', `/busy/a${round}.json`)
    }
    await row(page, '0 50').waitFor()
    await row(page, '/busy 325 children').waitFor()
    for (let index = 1; index < 15; index++) await row(page, `${index} 50`).waitFor()
    await row(page, '/busy 325 children').click()
    await button(page, 'Jump…').click()
    await button(page, 'Last children').click()
    await row(page, 'a49 49').waitFor()
    expect(await row(page, /^a48/).count()).toBe(0)
    await page.context().close()
  })

  test.each(['reduce', 'no-preference'] as const)(
    'a changed row is marked for a moment (motion: %s)',
    async (motion) => {
      await console.send('PUT', '/marked.json', { a: 1, b: 1 })
      const page = await console.open('/tree/app/marked', { reducedMotion: motion })
      await page.getByText('live', { exact: true }).waitFor()
      await row(page, 'a 1').waitFor()
      const plain = await page.evaluate<string>(BACKGROUND_OF_A)
      const marked = page.evaluate(inFrames(`${BACKGROUND_OF_A} !== '${plain}'`))
      await console.send('PUT', '/marked/a.json', 2)
      await marked
      await row(page, 'a 2').waitFor()
      await page.evaluate(inFrames(`${BACKGROUND_OF_A} === '${plain}'`))
      await page.context().close()
    },
  )

  test('a paused view stands still, and catches up', async () => {
    await console.send('PUT', '/paused.json', { a: 1 })
    const page = await console.open('/tree/app/paused')
    await page.getByText('live', { exact: true }).waitFor()
    await row(page, 'a 1').waitFor()
    await button(page, 'Pause').click()
    await page.getByText('paused', { exact: true }).waitFor()
    await console.send('PUT', '/paused.json', { a: 2, b: 1 })
    // Another request of the page, answered after the write.
    await page.evaluate('fetch("/health")')
    expect(await row(page, 'a 1').count()).toBe(1)
    await button(page, 'Resume').click()
    await row(page, 'a 2').waitFor()
    await row(page, 'b 1').waitFor()
    await page.context().close()
  })

  test('the keyboard moves, opens and closes', async () => {
    await console.send('PUT', '/keys.json', { a: { x: 1, y: 2 }, b: 3 })
    const page = await console.open('/tree/app/keys')
    await row(page, 'b 3').waitFor()
    const tree = page.getByRole('tree')
    const selected = () => page.getByRole('treeitem', { selected: true }).textContent()
    await row(page, 'a 2 children').waitFor()
    await tree.press('ArrowDown')
    await tree.press('ArrowRight')
    await row(page, 'x 1').waitFor()
    await tree.press('ArrowDown')
    await tree.press('ArrowDown')
    expect(await selected()).toBe('y2')
    const active = await tree.getAttribute('aria-activedescendant')
    expect(await page.locator(`#${active}`).textContent()).toContain('y')
    await tree.press('ArrowLeft')
    await tree.press('ArrowLeft')
    await row(page, 'x 1').waitFor({ state: 'detached' })
    await tree.press('End')
    expect(await selected()).toBe('b3')
    await page.context().close()
  })

  test('a query is built, run and copied', async () => {
    await console.send('PUT', '/animals.json', { a: { height: 3 }, b: { height: 1 }, 7: { height: 2 } })
    const page = await console.open('/tree/app/animals', { permissions: ['clipboard-read', 'clipboard-write'] })
    await button(page, 'Query').click()
    await page.getByLabel('Order by').selectOption('a child')
    await page.getByLabel('Child path').fill('height')
    await page.getByRole('combobox', { name: 'From' }).selectOption('startAt')
    await page.getByLabel('Value of startAt').fill('2')
    await button(page, 'Run query').click()
    await page.getByText('2 children in').waitFor()
    const keys = await page.getByRole('table', { name: 'Result' }).getByRole('row').allInnerTexts()
    expect(keys.slice(1).map((text) => text.split(/\s/)[0])).toEqual(['7', 'a'])
    for (const [name, part] of [
      ['curl', 'orderBy=%22height%22'],
      ['fetch', 'await fetch('],
      ['EventSource', 'new EventSource('],
      ['SDK', 'orderByChild("height"),\n  startAt(2)'],
    ] as const) {
      await page.getByLabel('Copy as').selectOption(name)
      await page.getByText(`Copied as ${name};`).waitFor()
      expect(await page.evaluate('navigator.clipboard.readText()')).toContain(part)
    }
    await page.context().close()
  })

  test('a node is exported to a file, and a file is imported', async () => {
    await using dir = await tempDir()
    await console.send('PUT', '/moved.json', { a: { '.value': 1, '.priority': 2 }, b: 'x'.repeat(100_000) })
    const page = await console.open('/tree/app/moved')
    // The picker of files is the browser's own and cannot be operated; without it the file is downloaded.
    await page.addInitScript('delete window.showSaveFilePicker')
    await page.reload()
    await row(page, /^b "x/).waitFor()
    const [download] = await Promise.all([page.waitForEvent('download'), button(page, 'Export').click()])
    const file = dir.file('moved.json')
    await download.saveAs(file)
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
      a: { '.value': 1, '.priority': 2 },
      b: 'x'.repeat(100_000),
    })
    await console.send('PUT', '/moved.json', { other: 1 })
    await row(page, 'other 1').waitFor()
    await page.getByLabel('Import').setInputFiles(file)
    await button(page, 'Replace').click()
    await page.getByText('Imported moved.json').waitFor()
    await row(page, 'a 1 priority 2').waitFor()
    await row(page, 'other 1').waitFor({ state: 'detached' })
    await page.context().close()
  })

  test('the secret of an application opens that application alone', async () => {
    const page = await console.visit('/tree/app')
    await page.getByLabel('Secret').fill(APP_SECRET)
    await page.getByRole('textbox', { name: 'Application' }).fill('app')
    await button(page, 'Log in').click()
    await row(page, /^large/).waitFor()
    await page.goto(`${console.url}/console/tree/other`)
    await page.getByText('There is no application “other”').waitFor()
    await page.goto(`${console.url}/console/backups`)
    await page.getByRole('heading', { name: 'Not for this session' }).waitFor()
    await page.context().close()
  })
})

/** What of a page's globals is used inside it. */
interface Scrolling {
  readonly document: { querySelector(selector: string): { scrollTop: number } }
  readonly requestAnimationFrame: (callback: (time: number) => void) => void
}

/** What of the rows is used inside a page. */
interface Drawn {
  readonly document: {
    querySelectorAll(selector: string): Iterable<DrawnElement> & { readonly length: number }
  }
}
interface DrawnElement {
  readonly textContent: string
  getBoundingClientRect(): { readonly y: number }
}
