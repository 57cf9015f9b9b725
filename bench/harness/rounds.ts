/** Runs every variant once a round, in an order that turns round each time, and keeps what they measured. */

export type Figures = Readonly<Record<string, number>>

export interface Variant {
  readonly name: string
  /** Measures in a fresh process. */
  run(): Promise<Figures>
}

/** What the middle round says, and how far the others are from it. */
export interface Spread {
  readonly median: number
  readonly min: number
  readonly max: number
}

/** Figures by variant, one entry for each round. */
export class Samples {
  readonly #byVariant = new Map<string, Figures[]>()

  add(variant: string, figures: Figures): void {
    const rounds = this.#byVariant.get(variant) ?? []
    rounds.push(figures)
    this.#byVariant.set(variant, rounds)
  }

  /** One figure of a variant in every round. @throws when it was not measured */
  get(variant: string, figure: string): number[] {
    const rounds = this.#byVariant.get(variant) ?? []
    const values = rounds.map((figures) => figures[figure])
    if (values.length === 0 || !values.every((value) => value !== undefined)) {
      throw new Error(`${figure} of ${variant} was not measured`)
    }
    return values
  }
}

export async function runRounds(variants: readonly Variant[], rounds: number): Promise<Samples> {
  const samples = new Samples()
  for (let round = 0; round < rounds; round++) {
    const order = round % 2 === 0 ? variants : variants.toReversed()
    for (const [index, variant] of order.entries()) {
      const start = performance.now()
      samples.add(variant.name, await variant.run())
      const seconds = ((performance.now() - start) / 1000).toFixed(1)
      process.stderr.write(
        `round ${round + 1}/${rounds}, ${index + 1}/${order.length}: ${variant.name}, ${seconds} s\n`,
      )
    }
  }
  return samples
}

export function spread(values: readonly number[]): Spread {
  const sorted = values.toSorted((left, right) => left - right)
  const [min, max] = [sorted[0] ?? Number.NaN, sorted.at(-1) ?? Number.NaN]
  const upper = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
  const lower = sorted[Math.floor((sorted.length - 1) / 2)] ?? Number.NaN
  return { median: (lower + upper) / 2, min, max }
}

/** Round by round: both sides of a ratio come from the same round. */
export function ratios(over: readonly number[], under: readonly number[]): number[] {
  return over.map((value, round) => value / (under[round] ?? Number.NaN))
}
