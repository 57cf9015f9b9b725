/** Measures this checkout and another one side by side: what a change has cost. */
import { join, resolve } from 'node:path'
import type { Row } from '../report/row.ts'
import type { Measurement } from './rounds.ts'
import { runRounds, Samples, type Step } from './rounds.ts'
import type { Settings } from './settings.ts'
import { type ChapterName, chapters } from './suite.ts'
import type { openWorkspace, Workspace } from './workspace.ts'

/** The rows of one round on both sides. */
export interface ComparedRound {
  readonly before: readonly Row[]
  readonly after: readonly Row[]
}

/** A checkout: its servers, loads and data are those of its own files. */
export interface Checkout {
  readonly chapters: Pick<typeof chapters, ChapterName>
  readonly workspace: Workspace
}

/** This checkout, with a workspace that is there already. */
export function thisCheckout(workspace: Workspace): Checkout {
  return { chapters, workspace }
}

/**
 * Another checkout of this repository, of any time since its benchmarks have chapters.
 * @throws Error when there is none, or its dependencies are not installed
 */
export async function openCheckout(dir: string, announce: (news: string) => void): Promise<Checkout> {
  const folder = join(resolve(dir), 'bench', 'harness')
  const suite: { readonly chapters: typeof chapters } = await import(join(folder, 'suite.ts'))
  const files: { readonly openWorkspace: typeof openWorkspace } = await import(join(folder, 'workspace.ts'))
  return { chapters: suite.chapters, workspace: await files.openWorkspace(announce) }
}

/**
 * Runs every measurement of a chapter once a round on both sides, one right after the other. Who comes first changes
 * with every round, and so does the order of the measurements.
 */
export async function compareChapter(
  name: ChapterName,
  before: Checkout,
  after: Checkout,
  settings: Settings,
  announce: (step: Step) => void,
): Promise<ComparedRound[]> {
  const sides = [new Side(name, before, settings), new Side(name, after, settings)] as const
  for (const side of sides) await side.prepare()
  const names = [...new Set(sides.flatMap((side) => side.names))]
  const rounds: ComparedRound[] = []
  for (let round = 0; round < settings.rounds; round++) {
    const [order, first] = round % 2 === 0 ? [names, sides] : [names.toReversed(), sides.toReversed()]
    for (const [index, measurement] of order.entries()) {
      announce({ name: measurement, number: round * names.length + index + 1, of: settings.rounds * names.length })
      for (const side of first) await side.measure(measurement)
    }
    rounds.push({ before: sides[0].takeRows(), after: sides[1].takeRows() })
  }
  for (const { workspace } of [before, after]) await endPostgres(workspace)
  return rounds
}

/** Older checkouts have none to end. */
async function endPostgres(workspace: Partial<Pick<Workspace, 'endPostgres'>>): Promise<void> {
  await workspace.endPostgres?.()
}

/** One checkout in one chapter. */
class Side {
  readonly #checkout: Checkout
  readonly #parts
  readonly #settings: Settings
  readonly #measurements: readonly Measurement[]
  #samples = new Samples()

  constructor(name: ChapterName, checkout: Checkout, settings: Settings) {
    const { parts } = checkout.chapters[name]
    this.#checkout = checkout
    this.#settings = settings
    this.#parts = settings.quick ? parts.filter(({ quick }) => quick) : parts
    this.#measurements = this.#parts.flatMap((part) => part.variants(checkout.workspace, settings))
  }

  get names(): readonly string[] {
    return this.#measurements.map(({ name }) => name)
  }

  async prepare(): Promise<void> {
    for (const part of this.#parts) await part.prepare?.(this.#checkout.workspace, this.#settings)
  }

  /** Measures what this side has of that name. */
  async measure(name: string): Promise<void> {
    const measurements = this.#measurements.filter((measurement) => measurement.name === name)
    await runRounds(measurements, 1, () => {}, this.#samples)
  }

  /** The rows of what was measured since the last call. */
  takeRows(): readonly Row[] {
    const samples = this.#samples
    this.#samples = new Samples()
    return this.#parts.flatMap((part) => part.rows(samples, this.#settings))
  }
}
