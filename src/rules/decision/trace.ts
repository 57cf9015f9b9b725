import { formatPath, type Path } from '../../tree/path.ts'
import { shortened } from '../expression/literal.ts'
import { lineIn, type Rule } from '../file/rule-node.ts'

const MAX_LINES = 200

/**
 * The results of the rules of one request, for their author. It contains no data.
 * @see docs/reference/protocol.md#rules
 */
export class Trace {
  readonly lines: string[] = []
  readonly #isWanted: boolean

  constructor(isWanted: boolean) {
    this.#isWanted = isWanted
  }

  recordResult(rule: Rule, value: boolean): void {
    this.#add(() => `${nameOf(rule)}: ${quote(rule)} is ${value}`)
  }

  /** @param at position in the expression */
  recordFailure(rule: Rule, why: string, at: number): void {
    this.#add(() => `${nameOf(rule)}: ${quote(rule)} failed: ${why} (line ${lineIn(rule, at)})`)
  }

  /** Records that no rule on the path matched. */
  recordNoRule(path: Path, kind: '.read' | '.write'): void {
    this.#add(() => `${formatPath(path)} ${kind}: no rule`)
  }

  #add(line: () => string): void {
    if (!this.#isWanted || this.lines.length > MAX_LINES) return
    this.lines.push(this.lines.length === MAX_LINES ? 'and more' : line())
  }
}

/** Such as `/users/$user .read`. */
function nameOf({ path, kind }: Rule): string {
  return shortened(`/${path.join('/')} ${kind}`)
}

function quote({ text }: Rule): string {
  return JSON.stringify(shortened(text))
}
