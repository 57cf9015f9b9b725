import type { Page } from 'playwright-core'
import { assetsOnce } from '../../../src/http/console/assets.ts'
import { type Figure, median } from './figure.ts'
import type { Scene } from './scene.ts'

const KIB = 1024
const MOST_KIB = 250
const FIRST_PAINT_MS = 300
const OPEN_MS = 200

const FIRST_PAINT = `new Promise((resolve) => {
  new PerformanceObserver((list) => {
    const [painted] = list.getEntriesByName('first-contentful-paint')
    if (painted !== undefined) resolve(painted.startTime)
  }).observe({ type: 'paint', buffered: true })
})`

/** Time from a double click until the children of the list are drawn: their keys, and then their values. */
const WATCH_OPENING = `
  globalThis.keysDrawn = Promise.withResolvers()
  globalThis.valuesDrawn = Promise.withResolvers()
  addEventListener('dblclick', ({ timeStamp }) => {
    const drawn = (result) => requestAnimationFrame(() => setTimeout(() => result.resolve(performance.now() - timeStamp)))
    const look = () => {
      const rows = [...document.querySelectorAll('[role=treeitem]')].filter(({ textContent }) => /^k\\d/.test(textContent))
      if (rows.length < 10) return
      drawn(keysDrawn)
      if (rows.some(({ textContent }) => textContent.endsWith('…'))) return
      drawn(valuesDrawn)
      observer.disconnect()
    }
    const observer = new MutationObserver(look)
    observer.observe(document.querySelector('[role=tree]'), { childList: true, subtree: true, characterData: true })
  }, { capture: true, once: true })
`

/** Length of what a browser loads at most: every file of the console, compressed. */
export async function bundleSize(): Promise<Figure> {
  const { files } = await assetsOnce()
  const bytes = [...files.values()].reduce((sum, { gzipped }) => sum + gzipped.byteLength, 0)
  return { name: 'all files of the console, compressed', value: bytes / KIB, unit: 'KiB', most: MOST_KIB }
}

/**
 * Time until the home page is first painted, from an empty cache, beside that of a page of the same server without a
 * script: what the browser itself takes for a page in a new window.
 */
export async function firstPaint(scene: Scene, rounds: number): Promise<readonly Figure[]> {
  const plain: number[] = []
  const home: number[] = []
  for (let round = 0; round < rounds; round++) {
    plain.push(await paintOf(await scene.openPlain()))
    home.push(await paintOf(await scene.open('')))
  }
  return [
    { name: 'first paint of a page without a script', value: median(plain), unit: 'ms' },
    { name: 'first paint of the home page', value: median(home), unit: 'ms', most: FIRST_PAINT_MS },
  ]
}

/** When a page was first painted, in ms from its beginning. Closes its window. */
async function paintOf(page: Page): Promise<number> {
  const time = await page.evaluate<number>(FIRST_PAINT)
  await page.context().close()
  return time
}

/** Time to open the large list in the tree. */
export async function openList(scene: Scene, children: number, rounds: number): Promise<readonly Figure[]> {
  const keys: number[] = []
  const values: number[] = []
  for (let round = 0; round < rounds; round++) {
    const page = await scene.open('/tree/app')
    await page.evaluate(WATCH_OPENING)
    await listIn(page).dblclick()
    keys.push(await page.evaluate<number>('keysDrawn.promise'))
    values.push(await page.evaluate<number>('valuesDrawn.promise'))
    await page.context().close()
  }
  const many = children.toLocaleString('en')
  return [
    { name: `open a list of ${many} children: its keys`, value: median(keys), unit: 'ms', most: OPEN_MS },
    { name: `open a list of ${many} children: what they are`, value: median(values), unit: 'ms' },
  ]
}

/** The row of the large list, once its children are counted. */
export function listIn(page: Page) {
  return page.getByRole('treeitem', { name: /^large [\d,]+ children$/ })
}
