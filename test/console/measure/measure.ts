import { floodNode } from './changes.ts'
import type { Figure } from './figure.ts'
import { idleCost } from './idle.ts'
import { bundleSize, firstPaint, openList } from './opening.ts'
import { startScene } from './scene.ts'
import { scrollList } from './scrolling.ts'

/** How much is measured. */
export interface Amounts {
  /** Children of the large list. */
  readonly children: number
  /** Rows of it that are scrolled through. */
  readonly rows: number
  /** How often pages are opened; medians count. */
  readonly rounds: number
  /** How long a node is changed. */
  readonly changeSeconds: number
  /** How long each page is left alone. */
  readonly idleSeconds: number
}

/** Measures the console in a browser, in front of a server of its own. */
export async function* measureConsole(amounts: Amounts): AsyncGenerator<Figure, void> {
  const { children, rows, rounds, changeSeconds, idleSeconds } = amounts
  yield await bundleSize()
  await using scene = await startScene(children)
  yield* await firstPaint(scene, rounds)
  yield* await openList(scene, children, rounds)
  yield* await scrollList(scene, rows)
  for (const members of [1, 10]) yield* await floodNode(scene, changeSeconds, members)
  yield* await idleCost(scene, idleSeconds)
}
