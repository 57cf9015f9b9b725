/** The results that the last full run has kept. */
import { checkResults, type Results } from '../report/result-schema.ts'

const FILE = new URL('../results/results.json', import.meta.url)

/** @throws when there are none, or when they have another form */
export async function keptResults(): Promise<Results> {
  return checkResults(await Bun.file(FILE).json())
}
