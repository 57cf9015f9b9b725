import type { Command, Option } from 'commander'

/** Words of a command, such as `dhole apps add`. */
export function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`
}

/** Flags of a command, with `--help`. */
export function optionsOf(command: Command): readonly Option[] {
  return command.createHelp().visibleOptions(command)
}

export function takesValue({ required, optional }: Option): boolean {
  return required || optional
}

/** Choices of the first argument. */
export function choicesOf(command: Command): readonly string[] {
  return command.registeredArguments[0]?.argChoices ?? []
}
