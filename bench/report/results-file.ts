/** Writes results, and keeps those of chapters that were measured before. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { checkResults, type Machine, type Result, type Results } from './result-schema.ts'

/** @throws TypeError when a figure is no number */
export function writeResults(file: string, results: Results): void {
  writeFileSync(file, textOf(checkResults(results)))
}

/** One result a line, so that it can be seen what a run has changed. */
function textOf({ machine, results }: Results): string {
  const lines = results.map((result) => `    ${JSON.stringify(result)}`)
  return `{\n  "machine": ${JSON.stringify(machine)},\n  "results": [\n${lines.join(',\n')}\n  ]\n}\n`
}

/** Puts the results of one chapter in the place of its former ones. */
export function keepResults(file: string, chapter: string, found: Results, chapters: readonly string[]): void {
  const former = existsSync(file) ? checkResults(JSON.parse(readFileSync(file, 'utf8'))) : undefined
  const others =
    former === undefined ? [] : former.results.map((result) => onMachine(result, former.machine, found.machine))
  const all = [...others.filter((result) => result.chapter !== chapter), ...found.results]
  const results = chapters.flatMap((name) => all.filter((result) => result.chapter === name))
  writeResults(file, { machine: found.machine, results })
}

/** A result of a file as one of another file, of the machine `now`. */
function onMachine(result: Result, before: Machine, now: Machine): Result {
  const { machine = before, ...rest } = result
  return Bun.deepEquals(machine, now) ? rest : { ...rest, machine }
}
