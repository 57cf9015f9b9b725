/**
 * Characters that move the cursor, change the direction of text or are invisible: controls, lone surrogates, line and
 * paragraph separators, and format characters except the joiners of scripts and emoji.
 */
const UNSAFE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]|(?![\u200c\u200d])\p{Cf}/gu
const SAFE = /^[\x20-\x7e]*$/

/** Text without unsafe characters, each replaced by `\uXXXX`; tabs stay. */
export function printable(text: string): string {
  if (SAFE.test(text)) return text
  return text.replace(UNSAFE, (character) => (character === '\t' ? character : escaped(character)))
}

/** As `printable`, per line. JSON text keeps its meaning: unsafe characters occur only in its strings. */
export function printableLines(text: string): string {
  return text.split('\n').map(printable).join('\n')
}

/** Escapes in UTF-16 code units, as in JSON. */
function escaped(character: string): string {
  return Array.from({ length: character.length }, (_, at) => {
    return `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`
  }).join('')
}
