/** Reading a rules file, in a process of its own. */
import { parseRules } from '../../src/rules/file/rule-set.ts'
import { answer, requestOf } from '../harness/child.ts'
import { spread } from '../harness/rounds.ts'
import { rulesOfShape, type Shape } from '../stock/rule-shapes.ts'

export interface CompileRequest {
  readonly shape: Shape
  readonly nodes: number
  /** Whether no two rules are alike. */
  readonly distinct: boolean
}

/** Milliseconds each. */
export interface CompileFigures {
  /** The first file of this process. */
  readonly first: number
  /** The middle one of those after it. */
  readonly later: number
  /** `JSON.parse` of the same text, the first time. */
  readonly json: number
}

const LATER_TIMES = 5

function measureCompiling({ shape, nodes, distinct }: CompileRequest): CompileFigures {
  const source = rulesOfShape(shape, nodes, distinct)
  const json = milliseconds(() => JSON.parse(source))
  const first = milliseconds(() => parseRules(source))
  const later = Array.from({ length: LATER_TIMES }, () => milliseconds(() => parseRules(source)))
  return { first, later: spread(later).median, json }
}

function milliseconds(work: () => unknown): number {
  const start = performance.now()
  work()
  return performance.now() - start
}

if (import.meta.main) answer(measureCompiling(requestOf<CompileRequest>()))
