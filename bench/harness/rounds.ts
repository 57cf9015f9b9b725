/** Runs every measurement once a round, in an order that turns round each time, and keeps what they measured. */

export type Figures = Readonly<Record<string, number>>

export interface Variant {
  readonly name: string
  /** Measures in a fresh process. */
  run(): Promise<Figures>
}

/** Variants that are measured together, because they are compared. */
export interface Contest {
  readonly name: string
  /** Measures all of them, each in a fresh process of its own. @returns their figures by name */
  compete(): Promise<Readonly<Record<string, Figures>>>
}

export type Measurement = Variant | Contest

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

/** One measurement of many. */
export interface Step {
  readonly name: string
  /** From 1 on. */
  readonly number: number
  readonly of: number
}

/**
 * @param announce told of each measurement before it begins
 * @param samples where the figures are added
 */
export async function runRounds(
  measurements: readonly Measurement[],
  rounds: number,
  announce: (step: Step) => void,
  samples: Samples = new Samples(),
): Promise<Samples> {
  for (let round = 1; round <= rounds; round++) {
    const order = round % 2 === 1 ? measurements : measurements.toReversed()
    for (const [index, measurement] of order.entries()) {
      const number = (round - 1) * order.length + index + 1
      announce({ name: measurement.name, number, of: rounds * order.length })
      for (const [variant, figures] of Object.entries(await measure(measurement))) samples.add(variant, figures)
    }
  }
  return samples
}

async function measure(measurement: Measurement): Promise<Readonly<Record<string, Figures>>> {
  if ('compete' in measurement) return measurement.compete()
  return { [measurement.name]: await measurement.run() }
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
