/** Sends to several servers at the same time, in a process of its own: groups of servers take turns. */
import { answer, requestOf } from '../harness/child.ts'
import { spread } from '../harness/rounds.ts'
import { generatorOf, type Load, untilAnswered } from '../load/load.ts'

export interface TogetherRequest {
  /** Loads of a group are sent at once. */
  readonly groups: readonly (readonly Load[])[]
  /** Of each group: measured, in so many turns, and before that. */
  readonly seconds: number
  readonly turns: number
  readonly warmSeconds: number
}

/** Of all loads of a group. */
export interface TogetherFigures {
  readonly perSecond: number
}

async function runGroups({ groups, seconds, turns, warmSeconds }: TogetherRequest): Promise<TogetherFigures[]> {
  const prepared = await Promise.all(groups.map((loads) => Promise.all(loads.map(generatorOf))))
  for (const generators of prepared) {
    await Promise.all(generators.map((generate) => generate(warmSeconds)))
  }
  const rates: number[][] = groups.map(() => [])
  for (let turn = 0; turn < turns; turn++) {
    const order = turn % 2 === 0 ? [...prepared.entries()] : [...prepared.entries()].toReversed()
    for (const [index, generators] of order) {
      const answers = await Promise.all(generators.map((generate) => untilAnswered(generate, seconds / turns)))
      const failed = answers.reduce((sum, each) => sum + each.failed + each.refused, 0)
      if (failed > 0) throw new Error(`${groups[index]?.[0]?.operation}: ${failed} requests failed`)
      rates[index]?.push(answers.reduce((sum, each) => sum + each.succeeded / each.seconds, 0))
    }
  }
  return rates.map((each) => ({ perSecond: spread(each).median }))
}

if (import.meta.main) answer(await runGroups(requestOf<TogetherRequest>()))
