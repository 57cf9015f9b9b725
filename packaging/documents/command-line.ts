import type { Argument, Command, Option } from 'commander'
import { everyCommand } from '../../src/cli/command-line.ts'
import { dholeProgram } from '../../src/cli/program.ts'
import { configSchema } from '../../src/server/config/settings.ts'
import { tableOf } from './page-block.ts'

/** The sections of docs/reference/command-line.md: one for each command. */
export function commandLineBlock(): string {
  const commands = everyCommand(dholeProgram()).filter((command) => command.parent !== null)
  return `\n${commands.map(sectionOf).join('\n')}\n`
}

function sectionOf(command: Command): string {
  const name = nameOf(command)
  const parts = [`${'#'.repeat(name.split(' ').length)} ${name}`, sentence(command.description())]
  if (command.commands.length > 0) {
    const below = command.commands.map((child) => `[\`${nameOf(child)}\`](#${nameOf(child).replaceAll(' ', '-')})`)
    return `${[...parts, `Commands: ${below.join(', ')}.`].join('\n\n')}\n`
  }
  parts.push(`\`\`\`bash\n${name} ${command.usage()}\n\`\`\``)
  const args = command.registeredArguments.filter(({ description }) => description !== '')
  if (args.length > 0) parts.push(tableOf(['argument', 'meaning'], args.map(argumentRow)))
  const options = command.options.filter(({ envVar }) => name !== 'dhole serve' || !isSetting(envVar))
  if (options.length > 0) parts.push(tableOf(['option', 'default', 'environment', 'meaning'], options.map(optionRow)))
  if (name === 'dhole serve') parts.push('Its options are the [settings](settings.md), such as `--port` for `PORT`.')
  return `${parts.join('\n\n')}\n`
}

function nameOf(command: Command): string {
  return command.parent === null ? command.name() : `${nameOf(command.parent)} ${command.name()}`
}

function argumentRow(argument: Argument): readonly string[] {
  return [`\`${argument.name()}\``, cell(argument.description + choicesOf(argument) + fallbackOf(argument))]
}

function fallbackOf({ defaultValue, defaultValueDescription }: Argument): string {
  const words: unknown = defaultValueDescription ?? defaultValue
  return words === undefined ? '' : ` (default: ${String(words)})`
}

function optionRow(option: Option): readonly string[] {
  const { flags, description, defaultValue, defaultValueDescription, envVar } = option
  const fallback: unknown = defaultValueDescription ?? defaultValue
  return [
    `\`${flags}\``,
    fallback === undefined || fallback === false ? '' : cell(String(fallback)),
    envVar === undefined ? '' : `\`${envVar}\``,
    cell(description + choicesOf(option)),
  ]
}

function choicesOf({ argChoices }: Argument | Option): string {
  return argChoices === undefined ? '' : ` (${argChoices.map((choice) => `\`${choice}\``).join(', ')})`
}

function isSetting(name: string | undefined): boolean {
  return name !== undefined && Object.hasOwn(configSchema.properties, name)
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
}

/** A bar would end the cell. */
function cell(text: string): string {
  return text.replaceAll('|', '\\|')
}
