import { readFileSync } from 'node:fs'
import { type Figure, quantile } from './figure.ts'
import { listIn } from './opening.ts'
import type { Scene } from './scene.ts'
import { FRAME_CATEGORIES, FRAME_MARK, scriptOfFrames } from './trace.ts'

const MIB = 1024 * 1024
const KIB_PER_MIB = 1024
const MOST_MIB = 100
const SCRIPT_MS = 16
/** Rows that one frame goes on. */
const STEP = 100

/** Scrolls the tree by so many rows in each frame, never further than what is loaded. Resolves to the number of rows. */
const scrollBy = (rows: number) => `(async () => {
  const tree = document.querySelector('[role=tree]')
  const height = document.querySelector('[role=treeitem]').getBoundingClientRect().height
  for (let still = 0; tree.scrollTop < ${rows} * height && still < 1000; ) {
    const before = tree.scrollTop
    tree.scrollTop = before + ${STEP} * height
    await new Promise(requestAnimationFrame)
    performance.mark('${FRAME_MARK}')
    still = tree.scrollTop === before ? still + 1 : 0
  }
  return tree.scrollTop / height
})()`

interface ProcessInfo {
  readonly type: string
  readonly id: number
}

/** Script of each frame while rows of the large list are scrolled by, and the memory of the page after it. */
export async function scrollList(scene: Scene, rows: number): Promise<readonly Figure[]> {
  const page = await scene.open('/tree/app')
  await listIn(page).dblclick()
  await page.getByRole('treeitem', { name: /^k0+ 1 child$/ }).waitFor()
  await scene.browser.startTracing(page, { categories: [...FRAME_CATEGORIES] })
  const scrolled = await page.evaluate<number>(scrollBy(rows))
  const trace = (await scene.browser.stopTracing()).toString()
  const frames = scriptOfFrames(trace, 'wall')
  const ofProcessor = scriptOfFrames(trace, 'processor')
  const protocol = await page.context().newCDPSession(page)
  await protocol.send('HeapProfiler.collectGarbage')
  const { usedSize } = (await protocol.send('Runtime.getHeapUsage')) as { readonly usedSize: number }
  const elements = await page.evaluate<number>('document.querySelectorAll("*").length')
  const root = await scene.browser.newBrowserCDPSession()
  const { processInfo } = (await root.send('SystemInfo.getProcessInfo')) as { processInfo: readonly ProcessInfo[] }
  await root.detach()
  const renderers = processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => privateMib(id))
  await page.context().close()
  return [
    { name: 'rows that were scrolled through', value: Math.round(scrolled), unit: 'rows', least: rows - 1 },
    { name: 'frames meanwhile', value: frames.length, unit: 'frames' },
    { name: 'script of a frame: half are below', value: quantile(frames, 0.5), unit: 'ms' },
    { name: 'script of a frame: 99 of 100 are below', value: quantile(frames, 0.99), unit: 'ms', most: SCRIPT_MS },
    { name: '  of it time of the processor', value: quantile(ofProcessor, 0.99), unit: 'ms' },
    { name: 'script of a frame: the longest', value: Math.max(...frames), unit: 'ms' },
    { name: 'memory of the page: its objects', value: usedSize / MIB, unit: 'MiB', most: MOST_MIB },
    { name: 'memory of the page: its process, with the browser’s own', value: Math.max(...renderers), unit: 'MiB' },
    { name: 'elements of the page', value: elements, unit: 'elements' },
  ]
}

/** Memory that no other process shares. */
function privateMib(pid: number): number {
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')
  const kib = [...rollup.matchAll(/^Private_(?:Clean|Dirty):\s+(\d+) kB$/gm)].map(([, amount]) => Number(amount))
  return kib.reduce((sum, amount) => sum + amount, 0) / KIB_PER_MIB
}
