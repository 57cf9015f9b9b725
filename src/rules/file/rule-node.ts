import type { Path } from '../../tree/path.ts'
import type { Expression } from '../expression/expression.ts'
import { lineOf, rawIndex } from '../expression/literal.ts'
import type { RuleKind } from '../expression/names.ts'

/** One node of the rules: what holds for the nodes of the tree that it matches. */
export interface RuleNode {
  /** As in the file, with `$name` keys. */
  readonly path: Path
  readonly read?: Rule
  readonly write?: Rule
  readonly validate?: Rule
  /** What `.indexOn` says the children are sorted by; no keys for their own value. */
  readonly indexes: readonly Path[]
  readonly children: ReadonlyMap<string, RuleNode>
  /** What matches every child that is not named. */
  readonly wildcard: RuleNode | undefined
  /** Whether here or somewhere below stands a `.validate`. */
  readonly validates: boolean
}

export interface Rule {
  /** As in the file, with `$name` keys. */
  readonly path: Path
  readonly kind: RuleKind
  /** The expression as written, or `true`, `false`. */
  readonly text: string
  readonly expression: Expression
  /** The file, and where in it the boolean or string stands. */
  readonly source: string
  readonly offset: number
  readonly length: number
}

/** Line of the file that a place in the expression of a rule stands in. */
export function lineIn({ source, offset, length }: Rule, at: number): number {
  return lineOf(source, offset + 1 + rawIndex(source.slice(offset + 1, offset + length - 1), at))
}

/** The node for a child: the one of its name, else the one for all others. */
export function childRules(rules: RuleNode, key: string): RuleNode | undefined {
  return rules.children.get(key) ?? rules.wildcard
}
