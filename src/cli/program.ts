import { Command } from 'commander'
import manifest from '../../package.json' with { type: 'json' }
import { commandAt, everyCommand } from './command-line.ts'
import { appsCommand } from './commands/apps.ts'
import { backupCommand } from './commands/backup.ts'
import { consoleCommand } from './commands/console.ts'
import { copyCommand } from './commands/copy.ts'
import { doctorCommand } from './commands/doctor.ts'
import { migrateCommand } from './commands/migrate.ts'
import { reloadCommand } from './commands/reload.ts'
import { restoreCommand } from './commands/restore.ts'
import { rulesCommand } from './commands/rules.ts'
import { smsCommand } from './commands/sms.ts'
import { tokenCommand } from './commands/token.ts'
import { exportCommand, importCommand } from './commands/transfer.ts'
import { completionCommand } from './completion/completion.ts'
import { serveCommand } from './serve.ts'

/** The command line of `dhole`. It throws a CommanderError for a wrong command line and prints nothing. */
export function dholeProgram(): Command {
  const program = new Command('dhole')
    .description('A realtime JSON tree over HTTPS, durable on SQLite')
    .version(manifest.version)
    .helpCommand(false)
  program.addCommand(serveCommand())
  program.addCommand(appsCommand())
  program.addCommand(backupCommand())
  program.addCommand(restoreCommand())
  program.addCommand(copyCommand())
  program.addCommand(migrateCommand())
  program.addCommand(doctorCommand())
  program.addCommand(reloadCommand())
  program.addCommand(consoleCommand())
  program.addCommand(rulesCommand())
  program.addCommand(smsCommand())
  program.addCommand(tokenCommand())
  program.addCommand(importCommand())
  program.addCommand(exportCommand())
  program.addCommand(completionCommand(program))
  program.addCommand(helpCommand(program))
  for (const command of everyCommand(program)) command.exitOverride().configureOutput({ outputError: () => {} })
  return program
}

/** `dhole help apps add` is `dhole apps add --help`. */
function helpCommand(program: Command): Command {
  return new Command('help')
    .description('show the help of a command')
    .argument('[command...]', 'such as apps add')
    .action(async (words: readonly string[]) => {
      const command = commandAt(program, words)
      if (command !== undefined) return command.outputHelp()
      const known = words.findIndex((_, at) => commandAt(program, words.slice(0, at + 1)) === undefined)
      const group = commandAt(program, words.slice(0, known)) ?? program
      const unknown = words[known] ?? ''
      if (group.commands.length === 0) throw new Error(`"${words.slice(0, known).join(' ')}" has no commands`)
      // Runs the unknown command: its error suggests similar names.
      await group.parseAsync([unknown], { from: 'user' })
    })
}
