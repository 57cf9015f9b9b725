import type { Command } from 'commander'
import { type Completed, type CompletedOption, completed } from './completed.ts'

/** A script for fish: `dhole completion fish | source`. Other words are completed as files. */
export function fishCompletion(program: Command): string {
  const name = program.name()
  const all = completed(program)
  return `# Completion of ${name} for fish.
function __${name}_command
  set -l command ${name}
  for word in (commandline -opc)[2..-1]
    switch "$command $word"
      case ${all
        .slice(1)
        .map(({ path }) => `'${path}'`)
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

function linesOf(name: string, { path, commands, options, choices }: Completed): readonly string[] {
  const begin = `complete -c ${name} -n '__${name}_is ${path}'`
  return [
    ...commands.map((below) => `${begin} -f -a ${quoted(below.name)} -d ${quoted(below.description)}`),
    ...choices.map((choice) => `${begin} -f -a ${quoted(choice)}`),
    ...options.map((option) => `${begin} ${formsOf(option)} -d ${quoted(option.description)}`),
  ]
}

function formsOf({ short, long, takesValue, choices }: CompletedOption): string {
  const forms = [
    ...(short === undefined ? [] : [`-s ${short.slice(1)}`]),
    ...(long === undefined ? [] : [`-l ${long.slice(2)}`]),
  ]
  if (choices.length > 0) forms.push(`-x -a ${quoted(choices.join(' '))}`)
  else if (takesValue) forms.push('-r')
  return forms.join(' ')
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}
