import { Command, CommanderError } from 'commander'
import { rulesCommand } from '../../src/cli/rules.ts'

/** `dhole rules …` as the program runs it, without the other commands. */
const program = new Command('dhole')
const rules = rulesCommand()
program.addCommand(rules)
for (const command of [program, rules, ...rules.commands]) command.exitOverride()

try {
  await program.parseAsync()
} catch (error) {
  if (error instanceof CommanderError) process.exit(error.exitCode === 0 ? 0 : 2)
  process.stderr.write(`dhole: ${error instanceof Error ? error.message : String(error)}\n`)
  process.exit(2)
}
