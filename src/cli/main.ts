#!/usr/bin/env bun
import { Command, CommanderError, Option } from 'commander'
import manifest from '../../package.json' with { type: 'json' }
import { configSchema, type RawConfig, readConfig, settingSchema } from '../server/config.ts'
import type { RunningServer } from '../server/main.ts'
import { appsCommand } from './apps.ts'
import { backupCommand } from './backup.ts'
import { doctorCommand } from './doctor.ts'
import { reloadCommand } from './reload.ts'
import { restoreCommand } from './restore.ts'
import { rulesCommand } from './rules.ts'
import { smsCommand } from './sms.ts'
import { takeStopSignals } from './stop-signals.ts'
import { tokenCommand } from './token.ts'
import { exportCommand, importCommand } from './transfer.ts'

// Before anything is written: all that the server and the commands make is for their user alone.
process.umask(0o077)

/** Exit status when writes can no longer be made durable. */
const EXIT_FAILED = 1
/** Exit status for a wrong setting, a port or file in use, and the like. */
const EXIT_UNUSABLE = 2

const program = new Command('dhole')
  .description('A realtime JSON tree over HTTPS, durable on SQLite')
  .version(manifest.version)

const serveCommand = program
  .command('serve', { isDefault: true })
  .description('serve the tree; every flag is also an environment variable')

for (const name of Object.keys(configSchema.properties)) {
  const { default: fallback, description } = settingSchema(name)
  const option = new Option(`--${flagOf(name)} <value>`, String(description)).env(name)
  serveCommand.addOption(fallback === undefined ? option : option.default(undefined, String(fallback)))
}

let isServing = false
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // A server is there for others than whoever reads what it prints.
  if (isServing) return
  // Whoever stops reading, as `head` does, has seen enough.
  if (error.code === 'EPIPE') process.exit(0)
  process.stderr.write(`dhole: ${error.message}\n`)
  process.exit(EXIT_UNUSABLE)
})

serveCommand.action(async (flags: Record<string, string | undefined>) => {
  isServing = true
  // Whoever is told that it listens may stop it in the same moment.
  const signals = takeStopSignals()
  void signals.forced.then(() => process.exit(EXIT_FAILED))
  // A signal that comes before there is a server would end the process.
  const running = Promise.withResolvers<RunningServer>()
  process.on('SIGHUP', () => void running.promise.then((server) => server.reload()))
  const config = readConfig(rawConfig(flags))
  // The other commands need none of what a server is made of, and are done before it is read.
  const { serve } = await import('../server/main.ts')
  const server = await serve(config)
  running.resolve(server)
  const failed = server.failed.then(() => true)
  const ended = await Promise.race([signals.stopped, failed])
  // A server that has failed may not be able to end well either: the log has said why.
  await server.stop(signals.hurried).catch((error) => {
    if (ended !== true) throw error
  })
  process.exit(ended === true ? EXIT_FAILED : 0)
})

program.addCommand(appsCommand())
program.addCommand(backupCommand())
program.addCommand(doctorCommand())
program.addCommand(restoreCommand())
program.addCommand(reloadCommand())
program.addCommand(rulesCommand())
program.addCommand(smsCommand())
program.addCommand(tokenCommand())
program.addCommand(importCommand())
program.addCommand(exportCommand())
for (const command of everyCommand(program)) command.exitOverride()

/** A command and all below it. */
function everyCommand(command: Command): readonly Command[] {
  return [command, ...command.commands.flatMap(everyCommand)]
}

/** `DATA_DIR` as a flag: `data-dir`. */
function flagOf(name: string): string {
  return name.toLowerCase().replaceAll('_', '-')
}

/** The settings by their names in the environment; a flag wins over the environment. */
function rawConfig(flags: Readonly<Record<string, string | undefined>>): RawConfig {
  const raw: Record<string, string | undefined> = {}
  for (const name of Object.keys(configSchema.properties)) {
    raw[name] = flags[flagOf(name).replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())]
  }
  return raw
}

try {
  await program.parseAsync()
} catch (error) {
  // What is wrong with the command line itself has been said already, and so has what `--help` asked for.
  if (error instanceof CommanderError) process.exit(error.exitCode === 0 ? 0 : EXIT_UNUSABLE)
  process.stderr.write(`dhole: ${error instanceof Error ? error.message : String(error)}\n`)
  process.exit(EXIT_UNUSABLE)
}
