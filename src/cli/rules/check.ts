import { parseRules, type RuleSet } from '../../rules/file/rule-set.ts'
import { EXIT_FAILED } from '../exit-status.ts'
import { fileName, readText } from '../terminal/input.ts'
import { print, type ReportFlags } from '../terminal/output.ts'
import { problemOf, problemText } from './problem.ts'

/** Content of a rules file. */
interface Counts {
  readonly nodes: number
  readonly rules: number
  readonly indexes: number
}

/** Prints whether the server would accept a rules file. */
export async function checkFile(given: string, { json, quiet }: ReportFlags): Promise<void> {
  const source = await readText(given)
  const file = fileName(given)
  let counts: Counts
  try {
    counts = countsOf(parseRules(source))
  } catch (thrown) {
    const problem = problemOf(thrown)
    const { errcode, why, position } = problem
    const [line, column] = [position?.line ?? null, position?.column ?? null]
    if (json) print(JSON.stringify({ file, ok: false, errcode, line, column, why }))
    else print(problemText(file, source, problem))
    process.exitCode = EXIT_FAILED
    return
  }
  const { nodes, rules, indexes } = counts
  if (json) print(JSON.stringify({ file, ok: true, ...counts }))
  else if (!quiet)
    print(`${file}: ok, ${some(nodes, 'node')}, ${some(rules, 'rule')}, ${some(indexes, 'index', 'indexes')}`)
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
