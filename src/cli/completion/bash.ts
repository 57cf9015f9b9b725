import type { Command } from 'commander'
import { type Completed, completed, formsOf } from './completed.ts'

/** A script for bash: `eval "$(dhole completion bash)"`. Other words are completed as files. */
export function bashCompletion(program: Command): string {
  const name = program.name()
  const all = completed(program)
  return `# Completion of ${name} for bash.
_${name}() {
  local current="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" command=${name} word at words=
  for ((at = 1; at < COMP_CWORD; at++)); do
    word="\${COMP_WORDS[at]}"
    case "$command $word" in
      ${quotedList(all.slice(1).map(({ path }) => path))}) command="$command $word" ;;
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
function valueCases({ path, options }: Completed): readonly string[] {
  const withValue = options.filter(({ takesValue }) => takesValue)
  const chosen = withValue.filter(({ choices }) => choices.length > 0)
  const free = withValue.filter(({ choices }) => choices.length === 0).flatMap(formsOf)
  const cases = chosen.map((option) => {
    const forms = quotedList(formsOf(option).map((form) => `${path} ${form}`))
    return `    ${forms}) COMPREPLY=($(compgen -W '${option.choices.join(' ')}' -- "$current")); return ;;`
  })
  if (free.length > 0) cases.push(`    ${quotedList(free.map((form) => `${path} ${form}`))}) return ;;`)
  return cases
}

function wordCase({ path, commands, options, choices }: Completed): string {
  const words = [...commands.map(({ name }) => name), ...choices, ...options.flatMap(formsOf)]
  return `    '${path}') words='${words.join(' ')}' ;;`
}

function quotedList(texts: readonly string[]): string {
  return texts.map((text) => `'${text}'`).join('|')
}
