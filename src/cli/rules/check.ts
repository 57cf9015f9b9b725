import { parseRules, type RuleSet } from '../../rules/file/rule-set.ts'
import { type Problem, problemOf, problemText } from './problem.ts'

/** What is in a rules file. */
interface Counts {
  readonly nodes: number
  readonly rules: number
  readonly indexes: number
}

/** What `dhole rules check` finds. */
export type Finding = { readonly ok: true; readonly counts: Counts } | { readonly ok: false; readonly problem: Problem }

/** Reads rules as the server would. */
export function checkRules(source: string): Finding {
  try {
    return { ok: true, counts: countsOf(parseRules(source)) }
  } catch (thrown) {
    return { ok: false, problem: problemOf(thrown) }
  }
}

/** A finding as people read it. */
export function findingText(file: string, source: string, finding: Finding): string {
  if (!finding.ok) return problemText(file, source, finding.problem)
  const { nodes, rules, indexes } = finding.counts
  return `${file}: ok, ${some(nodes, 'node')}, ${some(rules, 'rule')}, ${some(indexes, 'index', 'indexes')}`
}

/** A finding as programs read it: one object. */
export function findingJson(file: string, finding: Finding): string {
  if (finding.ok) return JSON.stringify({ file, ok: true, ...finding.counts })
  const { errcode, place, why } = finding.problem
  return JSON.stringify({ file, ok: false, errcode, line: place?.line ?? null, column: place?.column ?? null, why })
}

function some(count: number, one: string, many: string = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`
}

function countsOf({ strict, indexes }: RuleSet): Counts {
  const { rules } = JSON.parse(strict) as { rules: object }
  return { ...countBelow(rules), indexes: indexes.length }
}

/** A node and all below it. */
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
