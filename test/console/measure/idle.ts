import { cpuMsSince, readCpu, untilQuiet } from '../../../bench/harness/proc.ts'
import type { Figure } from './figure.ts'
import type { Scene } from './scene.ts'

/** Share of a core that an open console may cost the server. */
const MOST_PERCENT = 0.5
/** Time for what a page asks for as it opens. */
const SETTLE_MS = 3000

/** Pages that ask again by themselves, or listen. */
const PAGES = [
  ['the home page', ''],
  ['the tree', '/tree/app'],
  ['the streams', '/streams/app'],
] as const

/** Processor time of the server for an open console that nobody touches, beyond that without one. */
export async function idleCost(scene: Scene, seconds: number): Promise<readonly Figure[]> {
  const { pid } = scene.server
  await untilQuiet(pid)
  const alone = await percentOf(pid, seconds)
  const figures: Figure[] = [{ name: 'processor of the server without a console', value: alone, unit: '% of a core' }]
  for (const [name, path] of PAGES) {
    const page = await scene.open(path)
    await page.getByRole('heading').first().waitFor()
    await Bun.sleep(SETTLE_MS)
    const value = Math.max(0, (await percentOf(pid, seconds)) - alone)
    figures.push({ name: `processor of the server for ${name}`, value, unit: '% of a core', most: MOST_PERCENT })
    await page.context().close()
  }
  return figures
}

async function percentOf(pid: number, seconds: number): Promise<number> {
  const before = readCpu(pid)
  await Bun.sleep(seconds * 1000)
  return (cpuMsSince(pid, before) / (seconds * 1000)) * 100
}
