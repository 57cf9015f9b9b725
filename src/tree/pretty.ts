import type { JsonText } from './print.ts'

/** Strings are found by `stringEnd`: an expression that repeats a group gives up on a string of a few megabytes. */
const TOKEN = /\{\}|\[\]|[{}[\],:"]|[^{}[\],:"]+/g
const INDENT = '  '

/**
 * Spreads compact JSON over lines without reordering it: two spaces of indent per object, `"key" : value`, arrays as
 * `[ 1, 2 ]`, a newline at the end.
 * @see docs/protocol.md#parameters
 */
export function prettyPrint(text: JsonText): string {
  const containers: string[] = []
  let objects = 0
  const pieces: string[] = []
  const newLine = () => `\n${INDENT.repeat(objects)}`
  TOKEN.lastIndex = 0
  for (let match = TOKEN.exec(text); match !== null; match = TOKEN.exec(text)) {
    const [token] = match
    switch (token) {
      case '"':
        TOKEN.lastIndex = stringEnd(text, match.index)
        pieces.push(text.slice(match.index, TOKEN.lastIndex))
        break
      case '{':
        containers.push(token)
        objects++
        pieces.push('{', newLine())
        break
      case '}':
        containers.pop()
        objects--
        pieces.push(newLine(), '}')
        break
      case '[':
        containers.push(token)
        pieces.push('[ ')
        break
      case ']':
        containers.pop()
        pieces.push(' ]')
        break
      case ',':
        pieces.push(containers.at(-1) === '{' ? `,${newLine()}` : ', ')
        break
      case ':':
        pieces.push(' : ')
        break
      default:
        pieces.push(token)
    }
  }
  return `${pieces.join('')}\n`
}

/** Index behind the quote that closes the string opened at `start`. */
function stringEnd(text: JsonText, start: number): number {
  let quote = start
  do quote = text.indexOf('"', quote + 1)
  while (quote !== -1 && isEscaped(text, quote))
  return quote === -1 ? text.length : quote + 1
}

function isEscaped(text: JsonText, index: number): boolean {
  let first = index
  while (text[first - 1] === '\\') first--
  return (index - first) % 2 === 1
}
