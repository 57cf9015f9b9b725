import type { JsonText } from './print.ts'

const TOKEN = /"(?:[^"\\]|\\.)*"|\{\}|\[\]|[{}[\],:]|[^{}[\],:"]+/g
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
  for (const [token] of text.matchAll(TOKEN)) {
    switch (token) {
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
