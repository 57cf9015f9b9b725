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
    // The values are checked with all other settings.
    const choices = choicesOf(name)
    if (choices !== undefined) option.argChoices = choices
    command.addOption(fallback === undefined ? option : option.default(String(fallback), String(fallback)))
  }
  return command.action(serveTree)
}

async function serveTree(flags: Readonly<Record<string, string | undefined>>): Promise<void> {
  serving = true
  // Whoever is told that it listens may stop it in the same moment.
  const signals = takeStopSignals()
  void signals.forced.then(() => process.exit(EXIT_FAILED))
  // A signal that comes before there is a server would end the process.
  const running = Promise.withResolvers<RunningServer>()
  process.on('SIGHUP', () => void running.promise.then((server) => server.reload()))
  const config = readConfig(rawConfig(flags))
  // The other commands need none of what a server is made of, and are done before it is read.
  const { serve } = await import('../server/serve.ts')
  const server = await serve(config)
  running.resolve(server)
  const failed = server.failed.then(() => true)
  const ended = await Promise.race([signals.stopped, failed])
  // A server that has failed may not be able to end well either: the log has said why.
  await server.stop(signals.hurried).catch((error) => {
    if (ended !== true) throw error
  })
  process.exit(ended === true ? EXIT_FAILED : 0)
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
