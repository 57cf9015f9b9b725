import type { Command, CommanderError } from 'commander'

/** A command and all below it. */
export function everyCommand(command: Command): readonly Command[] {
  return [command, ...command.commands.flatMap(everyCommand)]
}

/** The command that words name from the root, or `undefined`. */
export function commandAt(root: Command, words: readonly string[]): Command | undefined {
  return words.reduce<Command | undefined>(
    (command, word) => command?.commands.find((below) => below.name() === word),
    root,
  )
}

/** What is wrong with the words of a command line, in one line. */
export function commandLineMessage(root: Command, words: readonly string[], { code, message }: CommanderError): string {
  const line = message.replace(/^error: /, '').replace(/\n\(Did you mean (.*)\?\)$/s, ': did you mean $1?')
  return code === 'commander.unknownOption' ? line + ownerOf(root, words) : line
}

/** Flags of `serve` are often given without its name. */
function ownerOf(root: Command, [first = '']: readonly string[]): string {
  const flag = first.split('=')[0]
  const isFlagOfServe = commandAt(root, ['serve'])?.options.some(({ long }) => long === flag) === true
  return isFlagOfServe ? ': it is a flag of `dhole serve`' : ''
}
