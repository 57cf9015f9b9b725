import { once } from 'node:events'
import { createInterface } from 'node:readline/promises'
import { printable } from './printable.ts'

/**
 * Asks the user of a terminal whether something is to be done that cannot be taken back.
 * @param isGiven whether the command line has said yes
 * @throws Error without a terminal, or unless the answer is yes
 */
export async function confirm(question: string, isGiven: boolean): Promise<void> {
  if (isGiven) return
  if (!process.stdin.isTTY) throw new Error('not confirmed, and there is no terminal to ask: give --yes')
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  // The end of the input is no yes, and neither is Ctrl-D.
  const ended = once(terminal, 'close').then(() => '')
  const given = terminal.question(`${printable(question)} (y/N) `).catch(() => '')
  const answer = await Promise.race([given, ended])
  terminal.close()
  if (!/^y(es)?$/i.test(answer.trim())) throw new Error('not confirmed: nothing is changed')
}
