import { DholeError } from '../../error.ts'
import { drain, type Steps } from '../../scheduling/steps.ts'
import type { Path } from '../../tree/path.ts'
import { columnOf, lineInSteps, shortened } from '../expression/literal.ts'
import { ExpressionError, refuse } from '../expression/rule-errors.ts'
import { SourceLimits } from '../expression/source-limits.ts'
import { RuleJson } from './rule-json.ts'
import { childRules, type Rule, type RuleIndex, type RuleNode } from './rule-node.ts'
import { RuleReader, WildcardError } from './rule-reader.ts'

/** Longest rules file, in UTF-16 code units. */
const MAX_SOURCE_LENGTH = 4 * 1024 * 1024

/** Nodes visited between two pauses. */
const STEP_NODES = 1024

const HALF_CHARACTER = /\p{Surrogate}/u

/** The rules of one application, checked. */
export interface RuleSet {
  /** Source of the file. */
  readonly source: string
  /** The same rules as valid JSON, without comments. */
  readonly strict: string
  readonly root: RuleNode
  /** Whether every caller may read all data. */
  readonly isPublic: boolean
  /** Whether every caller may write all valid data. */
  readonly isWritable: boolean
  /** All declarations of `.indexOn`. */
  readonly indexes: readonly DeclaredIndex[]
  /** The indexes of one list: rules of a named key hide those of `$name` beside it. */
  indexesAt(list: Path): readonly RuleIndex[]
}

interface DeclaredIndex extends RuleIndex {
  /** Keys of the list; one that begins with `$` stands for any. */
  readonly list: Path
}

/**
 * Reads a rules file.
 * @throws `bad-rules`, `rule-wildcards`; the text is `Line <n>: <why> (column <m>)`
 * @see docs/reference/protocol.md#rules
 */
export function parseRules(source: string): RuleSet {
  return drain(parseRulesInSteps(source))
}

/** As `parseRules`, with pauses. */
export function* parseRulesInSteps(source: string): Steps<RuleSet> {
  try {
    return yield* readRules(source)
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error
    const code = error instanceof WildcardError ? 'rule-wildcards' : 'bad-rules'
    const line = yield* lineInSteps(source, error.at)
    throw new DholeError(code, `Line ${line}: ${shortened(error.message)} (column ${columnOf(source, error.at)})`)
  }
}

function* readRules(source: string): Steps<RuleSet> {
  if (source.length > MAX_SOURCE_LENGTH) refuse(0, `a rules file has at most ${MAX_SOURCE_LENGTH} characters`)
  // UTF-8 cannot store it.
  if (!source.isWellFormed()) refuse(source.search(HALF_CHARACTER), 'half a character')
  const bounds = new SourceLimits()
  const json = new RuleJson(source, bounds)
  const root = yield* new RuleReader(source, bounds).read(yield* json.read())
  const indexes = yield* declaredIndexes(root)
  return {
    source,
    strict: json.strict(),
    root,
    isPublic: isConstantTrue(root.read),
    isWritable: isConstantTrue(root.write),
    indexes,
    indexesAt: (list) => indexesAt(root, list),
  }
}

function isConstantTrue(rule: Rule | undefined): boolean {
  return rule?.expression.kind === 'constant' && rule.expression.value === true
}

function* declaredIndexes(rules: RuleNode): Steps<DeclaredIndex[]> {
  const found: DeclaredIndex[] = []
  const waiting = [rules]
  let visited = 0
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    for (const each of node.indexes) found.push({ list: node.path, ...each })
    for (const child of node.children.values()) waiting.push(child)
    if (node.wildcard) waiting.push(node.wildcard)
    if (++visited % STEP_NODES === 0) yield
  }
  return found
}

function indexesAt(root: RuleNode, list: Path): readonly RuleIndex[] {
  let node: RuleNode | undefined = root
  for (const key of list) {
    if (node === undefined) return []
    node = childRules(node, key)
  }
  return node?.indexes ?? []
}
