import { once } from 'node:events'
import { createInterface } from 'node:readline/promises'
import { printable } from './printable.ts'

/**
 * Asks the user to confirm an irreversible action.
 * @param isGiven confirmed on the command line
 * @throws Error without a terminal, or when the answer is not yes
 */
export async function confirm(question: string, isGiven: boolean): Promise<void> {
  if (isGiven) return
  if (!process.stdin.isTTY) throw new Error('not confirmed, and there is no terminal to ask: give --yes')
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  // The end of the input, such as Ctrl-D, means no.
  const ended = once(terminal, 'close').then(() => '')
  const given = terminal.question(`${printable(question)} (y/N) `).catch(() => '')
  const answer = await Promise.race([given, ended])
  terminal.close()
  if (!/^y(es)?$/i.test(answer.trim())) throw new Error('not confirmed: nothing is changed')
}
