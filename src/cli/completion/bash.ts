import type { Command, Option } from 'commander'
import { everyCommand } from '../command-line.ts'
import { choicesOf, optionsOf, pathOf, takesValue } from './completed.ts'

/** A script for bash: `eval "$(dhole completion bash)"`. Other words are completed as files. */
export function bashCompletion(program: Command): string {
  const name = program.name()
  const all = everyCommand(program)
  return `# Completion of ${name} for bash.
_${name}() {
  local current="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" command=${name} word at words=
  for ((at = 1; at < COMP_CWORD; at++)); do
    word="\${COMP_WORDS[at]}"
    case "$command $word" in
      ${quotedList(all.slice(1).map(pathOf))}) command="$command $word" ;;
    esac
  done
  COMPREPLY=()
  case "$command $before" in
${all.flatMap(valueCases).join('\n')}
  esac
  case "$command" in
${all.map(wordCase).join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o bashdefault -o default -F _${name} ${name}
`
}

/** A script for zsh, which supports completions of bash. */
export function zshCompletion(program: Command): string {
  return `autoload -U +X compinit && compinit -i\nautoload -U +X bashcompinit && bashcompinit\n${bashCompletion(program)}`
}

/** Cases for the values of flags: their choices, or nothing. */
function valueCases(command: Command): readonly string[] {
  const withValue = optionsOf(command).filter(takesValue)
  const patternOf = (options: readonly Option[]) =>
    quotedList(options.flatMap(formsOf).map((form) => `${pathOf(command)} ${form}`))
  const cases = withValue.flatMap((option) => {
    if (option.argChoices === undefined) return []
    const words = option.argChoices.join(' ')
    return [`    ${patternOf([option])}) COMPREPLY=($(compgen -W '${words}' -- "$current")); return ;;`]
  })
  const free = withValue.filter(({ argChoices }) => argChoices === undefined)
  return free.length === 0 ? cases : [...cases, `    ${patternOf(free)}) return ;;`]
}

function wordCase(command: Command): string {
  const commands = command.commands.map((below) => below.name())
  const words = [...commands, ...choicesOf(command), ...optionsOf(command).flatMap(formsOf)]
  return `    '${pathOf(command)}') words='${words.join(' ')}' ;;`
}

/** Every form of a flag. */
function formsOf({ short, long }: Option): readonly string[] {
  return [short, long].filter((form) => form !== undefined)
}

function quotedList(texts: readonly string[]): string {
  return texts.map((text) => `'${text}'`).join('|')
}
