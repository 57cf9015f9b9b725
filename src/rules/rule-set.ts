import { type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser'
import { DholeError } from '../tree/error.ts'
import type { Path } from '../tree/path.ts'
import { Refusal, refuse } from './failure.ts'
import { columnOf, cut, lineOf } from './literal.ts'
import { childRules, type RuleNode } from './rule-node.ts'
import { RuleReader, WildcardRefusal } from './rule-reader.ts'
import { readSource } from './rule-source.ts'

/** Longest rules file, in UTF-16 code units. */
const MAX_SOURCE_LENGTH = 4 * 1024 * 1024

/** The rules of one application, checked. */
export interface RuleSet {
  /** The file as it was given. */
  readonly source: string
  /** The same rules as valid JSON, without comments. */
  readonly strict: string
  readonly root: RuleNode
  /** All that `.indexOn` declares. */
  readonly indexes: readonly DeclaredIndex[]
  /** What is declared for one list: a named key hides what stands at `$name` beside it. */
  indexesAt(list: Path): readonly Path[]
}

interface DeclaredIndex {
  /** Keys of the list; one that begins with `$` stands for any. */
  readonly list: Path
  /** Child path below each child of the list; no keys for its own value. */
  readonly path: Path
}

/**
 * Reads a rules file.
 * @throws `bad-rules`, `rule-wildcards`; the text is `Line <n>: <why> (column <m>)`
 * @see docs/protocol.md#rules
 */
export function parseRules(source: string): RuleSet {
  try {
    return readRules(source)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const code = error instanceof WildcardRefusal ? 'rule-wildcards' : 'bad-rules'
    const place = `Line ${lineOf(source, error.at)}: ${cut(error.message)} (column ${columnOf(source, error.at)})`
    throw new DholeError(code, place)
  }
}

function readRules(source: string): RuleSet {
  if (source.length > MAX_SOURCE_LENGTH) refuse(0, `a rules file has at most ${MAX_SOURCE_LENGTH} characters`)
  const { blanked, strict } = readSource(source)
  const root = new RuleReader(source).read(parseJson(blanked))
  return { source, strict, root, indexes: declaredIndexes(root), indexesAt: (list) => indexesAt(root, list) }
}

function parseJson(text: string): Node {
  const errors: ParseError[] = []
  const tree = parseTree(text, errors, { disallowComments: true, allowTrailingComma: false })
  const [error] = errors
  if (error) refuse(error.offset, WHYS.get(printParseErrorCode(error.error)) ?? 'not JSON')
  return tree ?? refuse(0, 'not JSON')
}

const WHYS: ReadonlyMap<string, string> = new Map([
  ['PropertyNameExpected', 'not JSON: a key in quotation marks should stand here'],
  ['ValueExpected', 'not JSON: a value should stand here'],
  ['ColonExpected', 'not JSON: a colon should stand here'],
  ['CommaExpected', 'not JSON: a comma should stand here'],
  ['CloseBraceExpected', 'not JSON: a } should stand here'],
  ['CloseBracketExpected', 'not JSON: a ] should stand here'],
  ['EndOfFileExpected', 'not JSON: the file should end here'],
  ['UnexpectedEndOfString', 'not JSON: a string without an end'],
  ['InvalidEscapeCharacter', 'not JSON: an unknown escape in a string'],
  ['InvalidUnicode', 'not JSON: \\u needs four hexadecimal digits'],
])

function declaredIndexes(rules: RuleNode): DeclaredIndex[] {
  const found: DeclaredIndex[] = []
  const waiting = [rules]
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    for (const path of node.indexes) found.push({ list: node.path, path })
    for (const child of node.children.values()) waiting.push(child)
    if (node.wildcard) waiting.push(node.wildcard)
  }
  return found
}

function indexesAt(root: RuleNode, list: Path): readonly Path[] {
  let node: RuleNode | undefined = root
  for (const key of list) {
    if (node === undefined) return []
    node = childRules(node, key)
  }
  return node?.indexes ?? []
}
