import { offeredOperations } from './admin/offered-operations.ts'
import { OptionsAdministration } from './admin/options-administration.ts'
import { serverTarget } from './admin/server-target.ts'
import { OperatorSecret } from './auth/operator-secret.ts'
import { keepSecret, operatorSecretFile } from './data-folder/secret-file.ts'
import { DEFAULT_APPLICATIONS, DEFAULT_DATA_DIR, type StartedApplications } from './dhole.ts'
import { DholeError } from './error.ts'
import type { AdminService } from './http/admin/admin-service.ts'
import { OpenConnections } from './http/sdk/connection/open-connections.ts'
import { OpenStreams } from './http/streams/open-streams.ts'
import { Monitor } from './monitor/monitor.ts'
import { type Observer, silentObserver } from './observer.ts'
import type { DholeOptions } from './options.ts'

/** What the console shows of the requests and streams of a plugin. */
export interface PluginWatch {
  readonly monitor: Monitor
  /** What is open. */
  readonly lists: { readonly streams: OpenStreams; readonly connections: OpenConnections }
  /** Passes events to the monitor and to the observer of the host. */
  readonly observer: Observer
  close(): void
}

/** Begins to watch a plugin; `undefined` where it has no console. */
export function pluginWatch({ console: asked, observer = silentObserver }: DholeOptions): PluginWatch | undefined {
  if (asked === undefined || asked === false) return undefined
  const monitor = new Monitor()
  const lists = { streams: new OpenStreams(), connections: new OpenConnections() }
  return { monitor, lists, observer: monitor.with(observer), close: () => monitor.close() }
}

/**
 * The admin API of the plugin; `undefined` where the options do not ask for it. Its operator may not add, remove or rotate
 * applications: they are those of the options.
 * @throws Error when the secret of the operator cannot be read or made
 */
export function pluginConsole(
  { console: asked, applications: options = DEFAULT_APPLICATIONS, dataDir = DEFAULT_DATA_DIR }: DholeOptions,
  { applications, failedAttempts }: Pick<StartedApplications, 'applications' | 'failedAttempts'>,
  watch: Pick<PluginWatch, 'monitor' | 'lists'> | undefined,
): AdminService | undefined {
  const [homeApplication] = Object.keys(options)
  if (asked === undefined || asked === false || homeApplication === undefined) return undefined
  const given = asked === true ? undefined : asked.secret
  const secret = given ?? keepSecret(operatorSecretFile(dataDir)).secret
  const administration = new OptionsAdministration(options, applications, homeApplication)
  const reload = async (): Promise<string> => {
    throw new DholeError('admin-state', 'the host serves the certificate')
  }
  const target = serverTarget({
    ...{ administration, applications, reload, process: () => ({ pid: process.pid }) },
    ...{ monitor: watch?.monitor, ...watch?.lists },
  })
  return {
    operations: offeredOperations(target),
    operator: new OperatorSecret(secret),
    failedAttempts,
    homeApplication,
    isLoopbackOnly: false,
  }
}
