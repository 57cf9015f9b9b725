import type { Command, Option } from 'commander'
import { everyCommand } from '../command-line.ts'
import { choicesOf, optionsOf, pathOf, takesValue } from './completed.ts'

/** A script for fish: `dhole completion fish | source`. Other words are completed as files. */
export function fishCompletion(program: Command): string {
  const name = program.name()
  const all = everyCommand(program)
  return `# Completion of ${name} for fish.
function __${name}_command
  set -l command ${name}
  for word in (commandline -opc)[2..-1]
    switch "$command $word"
      case ${all
        .slice(1)
        .map((command) => `'${pathOf(command)}'`)
        .join(' ')}
        set command "$command $word"
    end
  end
  echo $command
end
function __${name}_is
  test (__${name}_command) = "$argv"
end
${all.flatMap((command) => linesOf(name, command)).join('\n')}
`
}

function linesOf(name: string, command: Command): readonly string[] {
  const begin = `complete -c ${name} -n '__${name}_is ${pathOf(command)}'`
  return [
    ...command.commands.map((below) => `${begin} -f -a ${quoted(below.name())} -d ${quoted(below.description())}`),
    ...choicesOf(command).map((choice) => `${begin} -f -a ${quoted(choice)}`),
    ...optionsOf(command).map((option) => `${begin} ${formsOf(option)} -d ${quoted(option.description)}`),
  ]
}

function formsOf(option: Option): string {
  const forms = [
    ...(option.short === undefined ? [] : [`-s ${option.short.slice(1)}`]),
    ...(option.long === undefined ? [] : [`-l ${option.long.slice(2)}`]),
  ]
  if (option.argChoices !== undefined) forms.push(`-x -a ${quoted(option.argChoices.join(' '))}`)
  else if (takesValue(option)) forms.push('-r')
  return forms.join(' ')
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}
