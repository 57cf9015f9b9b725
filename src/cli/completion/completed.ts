import type { Command, Option } from 'commander'

/** One command of a program, for completion scripts. */
export interface Completed {
  /** Words of the command, such as `dhole apps add`. */
  readonly path: string
  readonly commands: readonly { readonly name: string; readonly description: string }[]
  readonly options: readonly CompletedOption[]
  /** Choices of its first argument. */
  readonly choices: readonly string[]
}

/** A flag. */
export interface CompletedOption {
  readonly short: string | undefined
  readonly long: string | undefined
  readonly description: string
  readonly takesValue: boolean
  /** Valid values; empty for any value. */
  readonly choices: readonly string[]
}

/** A command and its subcommands. */
export function completed(command: Command, path: string = command.name()): readonly Completed[] {
  const commands = command.commands.map((below) => ({ name: below.name(), description: below.description() }))
  const options = command.createHelp().visibleOptions(command).map(completedOption)
  const choices = command.registeredArguments[0]?.argChoices ?? []
  const own: Completed = { path, commands, options, choices }
  return [own, ...command.commands.flatMap((below) => completed(below, `${path} ${below.name()}`))]
}

/** Every form of a flag. */
export function formsOf({ short, long }: CompletedOption): readonly string[] {
  return [short, long].filter((form) => form !== undefined)
}

function completedOption({ short, long, description, required, optional, argChoices }: Option): CompletedOption {
  return { short, long, description, takesValue: required || optional, choices: argChoices ?? [] }
}
