import { parseRules, type RuleSet } from '../../rules/file/rule-set.ts'
import { type Problem, problemOf, problemText } from './problem.ts'

/** Content of a rules file. */
interface Counts {
  readonly nodes: number
  readonly rules: number
  readonly indexes: number
}

/** Result of `dhole rules check`. */
export type RulesCheck =
  | { readonly ok: true; readonly counts: Counts }
  | { readonly ok: false; readonly problem: Problem }

/** Parses rules as the server does. */
export function checkRules(source: string): RulesCheck {
  try {
    return { ok: true, counts: countsOf(parseRules(source)) }
  } catch (thrown) {
    return { ok: false, problem: problemOf(thrown) }
  }
}

/** Text of a result. */
export function checkText(file: string, source: string, result: RulesCheck): string {
  if (!result.ok) return problemText(file, source, result.problem)
  const { nodes, rules, indexes } = result.counts
  return `${file}: ok, ${some(nodes, 'node')}, ${some(rules, 'rule')}, ${some(indexes, 'index', 'indexes')}`
}

/** JSON of a result: one object. */
export function checkJson(file: string, result: RulesCheck): string {
  if (result.ok) return JSON.stringify({ file, ok: true, ...result.counts })
  const { errcode, position, why } = result.problem
  return JSON.stringify({
    file,
    ok: false,
    errcode,
    line: position?.line ?? null,
    column: position?.column ?? null,
    why,
  })
}

function some(count: number, one: string, many: string = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`
}

function countsOf({ strict, indexes }: RuleSet): Counts {
  const { rules } = JSON.parse(strict) as { rules: object }
  return { ...countBelow(rules), indexes: indexes.length }
}

/** Counts of a node and its descendants. */
function countBelow(node: object): Omit<Counts, 'indexes'> {
  let [nodes, rules] = [1, 0]
  for (const [key, member] of Object.entries(node)) {
    if (!key.startsWith('.')) {
      const below = countBelow(member as object)
      nodes += below.nodes
      rules += below.rules
    } else if (key !== '.indexOn') rules++
  }
  return { nodes, rules }
}
