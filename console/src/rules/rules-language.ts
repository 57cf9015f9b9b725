import { StreamLanguage, type StringStream } from '@codemirror/language'

/** Names of the expressions of rules. @see docs/reference/protocol.md#expressions */
export const NAMES = ['auth', 'now', 'root', 'data', 'newData', 'query'] as const

interface State {
  /** What the tokenizer is in the middle of. */
  inside: 'nothing' | 'comment' | 'text' | 'expression' | 'quotation'
  /** The quotation mark of a string within an expression. */
  quote: string
  /** The last key: an expression follows `.read`, `.write` and `.validate`. */
  key: string
  /** Whether a value is expected: a colon was read. */
  isValue: boolean
  depth: number
}

const EXPRESSIONS = ['.read', '.write', '.validate']

/** Rules files: JSON with comments, and expressions within some strings. */
export const rulesLanguage: StreamLanguage<State> = StreamLanguage.define<State>({
  name: 'rules',
  startState: () => ({ inside: 'nothing', quote: '', key: '', isValue: false, depth: 0 }),
  copyState: (state) => ({ ...state }),
  token: (stream, state) => {
    switch (state.inside) {
      case 'comment':
        return comment(stream, state)
      case 'text':
        return text(stream, state)
      case 'expression':
        return expression(stream, state)
      case 'quotation':
        return quotation(stream, state)
      default:
        return json(stream, state)
    }
  },
  indent: ({ depth, inside }, after, { unit }) => {
    if (inside === 'text' || inside === 'expression' || inside === 'quotation') return null
    return Math.max(0, depth - (/^\s*[}\]]/.test(after) ? 1 : 0)) * unit
  },
  languageData: {
    commentTokens: { line: '//', block: { open: '/*', close: '*/' } },
    closeBrackets: { brackets: ['{', '[', '(', '"', "'"] },
    indentOnInput: /^\s*[}\]]$/,
  },
})

function json(stream: StringStream, state: State): string | null {
  if (stream.eatSpace()) return null
  if (stream.match('//')) {
    stream.skipToEnd()
    return 'comment'
  }
  if (stream.match('/*')) {
    state.inside = 'comment'
    return comment(stream, state)
  }
  if (stream.eat('"')) return quoted(stream, state)
  if (stream.match(/^(?:true|false|null)\b/)) return 'bool'
  if (stream.match(/^-?\d[\d.eE+-]*/)) return 'number'
  const character = stream.next()
  if (character === ':') state.isValue = true
  if (character === ',' || character === '{') state.isValue = false
  if (character === '{' || character === '[') state.depth++
  if (character === '}' || character === ']') state.depth = Math.max(0, state.depth - 1)
  return /[{}[\],:]/.test(character ?? '') ? 'punctuation' : 'invalid'
}

/** After a quotation mark: a key, a text or an expression. */
function quoted(stream: StringStream, state: State): string {
  if (state.isValue && EXPRESSIONS.includes(state.key)) {
    state.inside = 'expression'
    return 'string'
  }
  if (state.isValue) {
    state.inside = 'text'
    return text(stream, state)
  }
  const start = stream.pos
  if (!stream.skipTo('"')) stream.skipToEnd()
  state.key = stream.string.slice(start, stream.pos)
  stream.eat('"')
  if (state.key.startsWith('.')) return 'keyword'
  return state.key.startsWith('$') ? 'variableName.special' : 'propertyName'
}

function comment(stream: StringStream, state: State): string {
  if (stream.match(/^.*?\*\//)) state.inside = 'nothing'
  else stream.skipToEnd()
  return 'comment'
}

function text(stream: StringStream, state: State): string {
  if (stream.match(/^(?:[^"\\]|\\.)*"/)) state.inside = 'nothing'
  else stream.skipToEnd()
  return 'string'
}

function expression(stream: StringStream, state: State): string | null {
  if (stream.eatSpace()) return null
  if (stream.eat('"')) {
    state.inside = 'nothing'
    return 'string'
  }
  const quote = taken(stream, /^(?:'|\\")/)
  if (quote !== undefined) {
    state.inside = 'quotation'
    state.quote = quote
    return quotation(stream, state)
  }
  if (stream.match(/^\/(?:[^/"\\]|\\\\.|\\.)+\/i?/)) return 'regexp'
  if (stream.match(/^\$\w+/)) return 'variableName.special'
  if (stream.match(/^\.\s*[A-Za-z_]\w*/)) return 'propertyName'
  const name = taken(stream, /^[A-Za-z_]\w*/)
  if (name !== undefined) return nameStyle(name)
  if (stream.match(/^\d[\d.eE]*/)) return 'number'
  if (stream.match(/^(?:===?|!==?|<=?|>=?|&&|\|\||[-+*/%!?:])/)) return 'operator'
  stream.next()
  return null
}

/** The text that a pattern matches here, if it does; the stream is behind it then. */
function taken(stream: StringStream, pattern: RegExp): string | undefined {
  const match = stream.match(pattern)
  return typeof match === 'object' && match !== null ? match[0] : undefined
}

function nameStyle(name: string): string {
  if ((NAMES as readonly string[]).includes(name)) return 'variableName.standard'
  return name === 'true' || name === 'false' || name === 'null' ? 'bool' : 'invalid'
}

/** A string within an expression. It ends with its mark, or with the expression. */
function quotation(stream: StringStream, state: State): string {
  while (!stream.eol()) {
    if (stream.match(state.quote)) {
      state.inside = 'expression'
      return 'string'
    }
    if (stream.peek() === '"') {
      state.inside = 'expression'
      return 'string'
    }
    if (stream.next() === '\\') stream.next()
  }
  return 'string'
}
