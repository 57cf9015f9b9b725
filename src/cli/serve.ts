import { Command, Option } from 'commander'
import { type RawConfig, readConfig } from '../server/config/config.ts'
import { choicesOf, configSchema, settingSchema } from '../server/config/settings.ts'
import type { RunningServer } from '../server/serve.ts'
import { EXIT_FAILED } from './exit-status.ts'
import { takeStopSignals } from './stop-signals.ts'

let serving = false

/** Whether this process is a server. */
export function isServing(): boolean {
  return serving
}

/** The command `dhole serve`. */
export function serveCommand(): Command {
  const command = new Command('serve').description('serve the tree; every flag is also an environment variable')
  for (const name of Object.keys(configSchema.properties)) {
    const { default: fallback, description } = settingSchema(name)
    const option = new Option(`--${flagOf(name)} <value>`, String(description)).env(name)
    // `readConfig` checks the value with all other settings.
    const choices = choicesOf(name)
    if (choices !== undefined) option.argChoices = choices
    command.addOption(fallback === undefined ? option : option.default(String(fallback), String(fallback)))
  }
  return command.action(serveTree)
}

async function serveTree(flags: Readonly<Record<string, string | undefined>>): Promise<void> {
  serving = true
  // First: a client may stop the server as soon as it reads that it listens.
  const signals = takeStopSignals()
  void signals.forced.then(() => process.exit(EXIT_FAILED))
  // Without a handler, a signal during the start would end the process.
  const running = Promise.withResolvers<RunningServer>()
  process.on('SIGHUP', () => void running.promise.then((server) => server.reload()))
  const raw = rawConfig(flags)
  const config = readConfig(raw)
  // Loaded on demand: the other commands do not need the modules of the server.
  const { serve } = await import('../server/serve.ts')
  const { doctorBeside } = await import('../doctor/doctor-beside.ts')
  const server = await serve(config, doctorBeside(raw))
  running.resolve(server)
  const failed = server.failed.then(() => true)
  const ended = await Promise.race([signals.stopped, failed])
  // After a failure of the server, an error of stopping adds nothing: the log has the reason.
  await server.stop(signals.hurried).catch((error) => {
    if (ended !== true) throw error
  })
  process.exit(ended === true ? EXIT_FAILED : 0)
}

/** `DATA_DIR` as a flag: `data-dir`. */
function flagOf(name: string): string {
  return name.toLowerCase().replaceAll('_', '-')
}

/** Settings by their names in the environment. A flag has priority over the environment. */
function rawConfig(flags: Readonly<Record<string, string | undefined>>): RawConfig {
  const raw: Record<string, string | undefined> = {}
  for (const name of Object.keys(configSchema.properties)) {
    raw[name] = flags[flagOf(name).replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())]
  }
  return raw
}
