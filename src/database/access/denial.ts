import { DholeError } from '../../error.ts'
import type { Rule } from '../../rules/file/rule-node.ts'

/** The error `permission-denied` of a request that rules refuse. Clients do not learn the rule. */
export class Denial extends DholeError {
  /** The rule that decided; `undefined` when no rule applies to the path. */
  readonly rule: Rule | undefined

  constructor(rule: Rule | undefined) {
    super('permission-denied')
    this.rule = rule
  }
}
