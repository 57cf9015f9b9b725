import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser'
import { ExpressionError } from '../../../src/rules/expression/rule-errors.ts'
import { SourceLimits } from '../../../src/rules/expression/source-limits.ts'
import { type JsonNode, RuleJson } from '../../../src/rules/file/rule-json.ts'
import { drain } from '../../../src/scheduling/steps.ts'

const REASONS: Readonly<Record<string, string>> = {
  PropertyNameExpected: ': a key in quotation marks should stand here',
  ValueExpected: ': a value should stand here',
  ColonExpected: ': a colon should stand here',
  CommaExpected: ': a comma should stand here',
  CloseBraceExpected: ': a } should stand here',
  CloseBracketExpected: ': a ] should stand here',
  EndOfFileExpected: ': the file should end here',
  UnexpectedEndOfString: ': a string without an end',
  InvalidEscapeCharacter: ': an unknown escape in a string',
  InvalidUnicode: ': \\u needs four hexadecimal digits',
}

const STRING_OR_COMMENT = /"(?:\\[\s\S]|[^"\\])*(?:"|\\?$)|\/\/[^\r\n]*|\/\*[\s\S]*?\*\//g

/** Spaces in place of comments, and of control characters in strings: no offset changes. */
function blanked(source: string): string {
  return source.replace(/^\uFEFF/, ' ').replace(STRING_OR_COMMENT, (found) =>
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
    found.startsWith('"') ? found.replace(/[\u0000-\u001f]/g, ' ') : found.replace(/[^\r\n]/g, ' '),
  )
}

/** What `jsonc-parser` makes of a source: the first error, or the values with their offsets. */
function expected(source: string): unknown {
  const errors: ParseError[] = []
  const root = parseTree(blanked(source), errors, { disallowComments: true })
  const [error] = errors
  if (error === undefined) return root && shapeOfNode(root)
  return `${error.offset}: not JSON${REASONS[printParseErrorCode(error.error)] ?? ''}`
}

function shapeOfNode({ type, offset, length, value, children = [] }: Node): unknown {
  switch (type) {
    case 'object':
      return [
        offset,
        ...children.map(({ children: [key, member] = [] }) => [key, member].map((each) => each && shapeOfNode(each))),
      ]
    case 'array':
      return [offset, 'list', ...children.map(shapeOfNode)]
    case 'string':
      return [offset, 'string', length]
    case 'boolean':
      return [offset, value]
    default:
      return [offset, 'other']
  }
}

function actual(source: string): unknown {
  try {
    return shapeOf(drain(new RuleJson(source, new SourceLimits()).read()))
  } catch (error) {
    if (error instanceof ExpressionError) return `${error.at}: ${error.message}`
    throw error
  }
}

function shapeOf(node: JsonNode): unknown {
  switch (node.type) {
    case 'object':
      return [node.offset, ...node.members.map(({ key, value }) => [shapeOf(key), shapeOf(value)])]
    case 'list':
      return [node.offset, 'list', ...node.elements.map(shapeOf)]
    case 'string':
      return [node.offset, 'string', node.length]
    case 'boolean':
      return [node.offset, node.value]
    default:
      return [node.offset, 'other']
  }
}

const PUNCTUATION = ['{', '}', '[', ']', ':', ',', '{"a":', ',"b":1']
const WORDS = ['true', 'false', 'null', 'tru', 'truex', 'nulls', 'é', '\u0000', '\u00a0', '\uFEFF', '/', 'true\u00a0']
const NUMBERS = ['0', '1', '-', '-1', '01', '1.5', '1.', '1e5', '1e+', '-2E-3', '+1', '.5']
const STRINGS = [
  '"a"',
  '""',
  '"\\u0041"',
  '"\\u00"',
  '"\\q"',
  '"\\',
  '"\\"',
  '"x',
  '"\n"',
  '"\\\n"',
  '"\u0001"',
  '"\\u12\\q"',
]
const TRIVIA = [' ', '\t', '\n', '\r\n', '/**/', '/*"*/', '// {\n', '//', '/***/', '/*/*/']
/** Longer than what is looked at between two pauses. */
const LONG = [
  `"${'x'.repeat(20_000)}"`,
  `"${'\\n'.repeat(9000)}"`,
  ' '.repeat(20_000),
  `/*${'x'.repeat(40_000)}*/`,
  '1'.repeat(20_000),
]
const VALID = '{"rules":{".read":"auth != null", // c\n"$a":{".write":true,"b":["x",null,-1.5e3]},"c\\u0041":{}}}'

const piece = fc.constantFrom(...PUNCTUATION, ...WORDS, ...NUMBERS, ...STRINGS, ...TRIVIA)
const withLong = fc.oneof({ weight: 20, arbitrary: piece }, { weight: 1, arbitrary: fc.constantFrom(...LONG) })
const pieces = fc.array(withLong, { maxLength: 25 }).map((parts) => parts.join(''))
const edit = fc.record({ at: fc.nat(VALID.length), removed: fc.nat(4), added: withLong })
const edited = fc
  .array(edit, { maxLength: 3 })
  .map((edits) =>
    edits.reduce((text, { at, removed, added }) => text.slice(0, at) + added + text.slice(at + removed), VALID),
  )
/** A comment without an end is an error here alone. */
const hasEndOfComments = (source: string) => !blanked(source).replace(STRING_OR_COMMENT, '').includes('/*')

describe('a rules file is read as jsonc-parser reads it', () => {
  test.each([
    ['pieces of files', pieces],
    ['files with mistakes', edited],
    ['JSON', fc.json()],
  ])('%s', (_, sources) => {
    fc.assert(
      fc.property(sources.filter(hasEndOfComments), (source) => {
        expect(actual(source)).toEqual(expected(source))
      }),
      { numRuns: 3000 },
    )
  })
})

test('long strings become strict JSON, and text, as short ones do', () => {
  const part = fc.constantFrom('x', '\\n', '\\u0041', '\\\\', '\\"', '\n', '\u0001', 'é', '😀')
  fc.assert(
    fc.property(fc.array(part, { minLength: 1, maxLength: 20 }), fc.nat(20), (parts, offset) => {
      const raw = 'y'.repeat(offset) + parts.join('').repeat(4000)
      const json = new RuleJson(`"${raw}"`, new SourceLimits())
      expect(drain(json.read())).toMatchObject({ type: 'string', text: JSON.parse(json.strict()) })
      expect(JSON.parse(json.strict())).toBe('y'.repeat(offset) + repeatedText(parts))
    }),
    { numRuns: 50 },
  )
})

/** Text of parts of a literal, each of them many times. */
function repeatedText(parts: readonly string[]): string {
  const escapes: Record<string, string> = { '\\n': '\n', '\\u0041': 'A', '\\\\': '\\', '\\"': '"' }
  return parts
    .map((part) => escapes[part] ?? part)
    .join('')
    .repeat(4000)
}

test('a file with many comments becomes strict JSON', () => {
  const source = `[${Array.from({ length: 20_000 }, (_, index) => `/**/${index}//\n`).join(',')}]`
  const json = new RuleJson(source, new SourceLimits())
  drain(json.read())
  expect(JSON.parse(json.strict())).toEqual(Array.from({ length: 20_000 }, (_, index) => index))
})
