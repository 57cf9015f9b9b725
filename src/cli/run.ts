import { CommanderError } from 'commander'
import { codeOf } from '../files/system-error.ts'
import { commandLineMessage } from './command-line.ts'
import { EXIT_UNUSABLE } from './exit-status.ts'
import { dholeProgram } from './program.ts'
import { printError } from './terminal/output.ts'

/**
 * Runs one command line and prints its error.
 * @param words the arguments after the name of the program
 * @returns exit status of a command that did not run through; `undefined`: `process.exitCode` has it
 */
export async function runCommandLine(words: readonly string[]): Promise<number | undefined> {
  const program = dholeProgram()
  try {
    if (words.length === 0) program.outputHelp()
    else await program.parseAsync(words, { from: 'user' })
    return undefined
  } catch (error) {
    if (error instanceof CommanderError) {
      // Help or version has been printed, also the help of a group without a command.
      if (error.exitCode === 0) return 0
      if (error.code !== 'commander.help') printError(commandLineMessage(program, words, error))
    } else if (isClosedPipe(error)) return 0
    else printError(error)
    return EXIT_UNUSABLE
  }
}

/** Error codes of writes to a pipe whose reader is gone: of the first write, and of later ones. */
const CLOSED_PIPE = new Set(['EPIPE', 'ERR_STREAM_DESTROYED'])

/** Whether a write failed because the reader of the pipe is gone. */
export function isClosedPipe(error: unknown): boolean {
  return CLOSED_PIPE.has(codeOf(error))
}
