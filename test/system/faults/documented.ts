import { readFileSync } from 'node:fs'

const PAGE = new URL('../../../docs/how-to/troubleshoot.md', import.meta.url)
const SECTION = /^## When something breaks\n([\s\S]*?)(?=^## |$(?![\s\S]))/m

/** Everything in code of the first column: what an operator may see. `…` stands for whatever is different each time. */
const messages = (SECTION.exec(readFileSync(PAGE, 'utf8'))?.[1] ?? '')
  .split('\n')
  .filter((line) => line.startsWith('| '))
  .flatMap((line) => [...(line.split(' | ')[0] ?? '').matchAll(/`([^`]+)`/g)].map(([, text = '']) => text))
  .map((text) => new RegExp(text.split('…').map(RegExp.escape).join('.+'), 's'))

/** Whether an operator finds what was printed in the table of docs/how-to/troubleshoot.md. */
export function isDocumented(printed: string): boolean {
  return messages.some((message) => message.test(printed))
}
