import type { Page } from 'playwright-core'
import type { Figure } from './figure.ts'
import type { Scene } from './scene.ts'
import { FRAME_MARK, TASK_CATEGORIES, tasksOfPage } from './trace.ts'

/** Children of the open node; most of them are in view or near it. */
const CHILDREN = 60
/** Of so many changes one adds a child, or removes the one that was added before. */
const COMES_AND_GOES = 50
const WRITERS = 32
const PER_SECOND = 1000
const LONG_TASK_MS = 50
const CLICK_EVERY_MS = 500

/** Time from each click until the frame after it is drawn. */
const WATCH_CLICKS = `
  globalThis.clicks = []
  addEventListener('click', ({ timeStamp }) => {
    requestAnimationFrame(() => setTimeout(() => clicks.push(performance.now() - timeStamp)))
  }, { capture: true })
`

/** Long tasks of a page whose open node changes a thousand times a second. @param members children that one write changes */
export async function floodNode(scene: Scene, seconds: number, members: number): Promise<readonly Figure[]> {
  await scene.send('PUT', '/busy.json', Object.fromEntries(Array.from({ length: CHILDREN }, (_, key) => [key, 0])))
  const page = await scene.open('/tree/app/busy')
  await page.getByText('live', { exact: true }).waitFor()
  await page.getByRole('treeitem', { name: '0 0', exact: true }).waitFor()
  await page.evaluate(`longTasks.length = 0; ${WATCH_CLICKS}`)
  await scene.browser.startTracing(page, { categories: [...TASK_CATEGORIES] })
  await page.evaluate(`performance.mark('${FRAME_MARK}')`)
  const writing = write(scene, seconds, members)
  await clickUntil(page, writing)
  const { changes, ms } = await writing
  const ofProcessor = tasksOfPage((await scene.browser.stopTracing()).toString(), 'processor')
  await scene.send('PUT', '/busy/0.json', 'the end')
  await page.getByRole('treeitem', { name: '0 "the end"', exact: true }).waitFor()
  const tasks = await page.evaluate<readonly number[]>('longTasks')
  const clicks = await page.evaluate<readonly number[]>('clicks')
  await page.context().close()
  const name = members === 1 ? 'one child' : `${members} children`
  return [
    {
      name: `changes a second of the open node, by writes of ${name}`,
      value: (changes * 1000) / ms,
      unit: '/s',
      least: PER_SECOND,
    },
    { name: `tasks of more than ${LONG_TASK_MS} ms meanwhile`, value: tasks.length, unit: 'tasks', most: 0 },
    { name: '  the longest of them', value: Math.max(0, ...tasks), unit: 'ms' },
    { name: '  the longest task by time of the processor', value: Math.max(0, ...ofProcessor), unit: 'ms' },
    { name: 'from a click to the frame that shows it: the longest', value: Math.max(0, ...clicks), unit: 'ms' },
  ]
}

/** Selects one row after the other as long as the writers write. */
async function clickUntil(page: Page, writing: Promise<unknown>): Promise<void> {
  let isOver = false
  writing.then(
    () => {
      isOver = true
    },
    () => {
      isOver = true
    },
  )
  for (let at = 0; !isOver; at++) {
    const box = await page.locator('[role=tree]').boundingBox()
    if (box !== null) await page.mouse.click(box.x + 400, box.y + 40 + (at % 10) * 28)
    await Bun.sleep(CLICK_EVERY_MS)
  }
}

/** Writes at a steady pace: a writer that is late makes up for it. */
async function write(
  scene: Scene,
  seconds: number,
  members: number,
): Promise<{ readonly changes: number; readonly ms: number }> {
  const begun = performance.now()
  // Slightly more, so that the end of the last writes does not count as slowness.
  const paceMs = (1000 * members) / (PER_SECOND * 1.02)
  let next = 0
  let changes = 0
  const writer = async () => {
    for (;;) {
      const number = next++
      const due = begun + number * paceMs
      if (due - begun >= seconds * 1000) return
      const wait = due - performance.now()
      if (wait > 0) await Bun.sleep(wait)
      await change(scene, number, members)
      changes += members
    }
  }
  await Promise.all(Array.from({ length: WRITERS }, writer))
  return { changes, ms: performance.now() - begun }
}

function change(scene: Scene, number: number, members: number): Promise<void> {
  const turn = Math.floor(number / COMES_AND_GOES)
  if (number % COMES_AND_GOES === 0) {
    const path = `/busy/a${Math.floor(turn / 2)}.json`
    return turn % 2 === 0 ? scene.send('PUT', path, number) : scene.send('DELETE', path)
  }
  if (members === 1) return scene.send('PUT', `/busy/${number % CHILDREN}.json`, number)
  const changed = Array.from({ length: members }, (_, member) => [(number * members + member) % CHILDREN, number])
  return scene.send('PATCH', '/busy.json', Object.fromEntries(changed))
}
