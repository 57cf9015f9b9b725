import type { Command, CommanderError } from 'commander'

/** A command and its subcommands. */
export function everyCommand(command: Command): readonly Command[] {
  return [command, ...command.commands.flatMap(everyCommand)]
}

/** The command at a list of words, or `undefined`. */
export function commandAt(root: Command, words: readonly string[]): Command | undefined {
  return words.reduce<Command | undefined>(
    (command, word) => command?.commands.find((below) => below.name() === word),
    root,
  )
}

/** Error text for a command line, in one line. */
export function commandLineMessage(root: Command, words: readonly string[], { code, message }: CommanderError): string {
  const line = message.replace(/^error: /, '').replace(/\n\(Did you mean (.*)\?\)$/s, ': did you mean $1?')
  return code === 'commander.unknownOption' ? line + ownerOf(root, words) : line
}

/** Hint for flags of `serve`, which are often given without the command. */
function ownerOf(root: Command, [first = '']: readonly string[]): string {
  const flag = first.split('=')[0]
  const isFlagOfServe = commandAt(root, ['serve'])?.options.some(({ long }) => long === flag) === true
  return isFlagOfServe ? ': it is a flag of `dhole serve`' : ''
}
