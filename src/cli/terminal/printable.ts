/**
 * Characters that move the cursor, change the direction of text or cannot be seen: controls, lone surrogates,
 * separators of lines and paragraphs, and format characters but for the joiners that scripts and emoji need.
 */
const UNSAFE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]|(?![\u200c\u200d])\p{Cf}/gu
const SAFE = /^[\x20-\x7e]*$/

/** Text that stays on its line and does nothing to a terminal; tabs stay. Each such character becomes `\uXXXX`. */
export function printable(text: string): string {
  if (SAFE.test(text)) return text
  return text.replace(UNSAFE, (character) => (character === '\t' ? character : escaped(character)))
}

/** As `printable`, of each line. JSON text remains the same JSON: such characters stand only in its strings. */
export function printableLines(text: string): string {
  return text.split('\n').map(printable).join('\n')
}

/** In UTF-16 code units, as JSON has it. */
function escaped(character: string): string {
  return Array.from({ length: character.length }, (_, at) => {
    return `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`
  }).join('')
}
