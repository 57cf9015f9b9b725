import { drain } from '../../scheduling/steps.ts'
import type { Path } from '../../tree/path.ts'
import type { Expression } from '../expression/expression.ts'
import { lineInSteps, rawIndex } from '../expression/literal.ts'
import type { RuleKind } from '../expression/names.ts'

/** One node of the rules, which applies to the nodes of the tree that it matches. */
export interface RuleNode {
  /** As in the file, with `$name` keys. */
  readonly path: Path
  readonly read?: Rule
  readonly write?: Rule
  readonly validate?: Rule
  readonly indexes: readonly RuleIndex[]
  readonly children: ReadonlyMap<string, RuleNode>
  /** Matches every child without rules of its own. */
  readonly wildcard: RuleNode | undefined
  /** Whether this node or a node below has a `.validate` rule. */
  readonly validates: boolean
}

/** An element of `.indexOn`. */
export interface RuleIndex {
  /** Child path; no keys for the value of the children themselves. */
  readonly path: Path
  readonly covering: boolean
}

export interface Rule {
  /** As in the file, with `$name` keys. */
  readonly path: Path
  readonly kind: RuleKind
  /** Source of the expression, or `true`, `false`. */
  readonly text: string
  readonly expression: Expression
  /** The file, and the position of the boolean or string in it. */
  readonly source: string
  readonly offset: number
  readonly length: number
}

/** Line in the file of a position in the expression of a rule. */
export function lineIn({ source, offset, length }: Rule, at: number): number {
  const raw = source.slice(offset + 1, offset + length - 1)
  return drain(lineInSteps(source, offset + 1 + rawIndex(raw, at)))
}

/** The rules of a child: those of its name, else the wildcard. */
export function childRules(rules: RuleNode, key: string): RuleNode | undefined {
  return rules.children.get(key) ?? rules.wildcard
}
