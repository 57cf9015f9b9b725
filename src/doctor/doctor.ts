import { existsSync } from 'node:fs'
import program from '../../package.json' with { type: 'json' }
import { connect } from '../admin/control/control-client.ts'
import { socketPath } from '../admin/control/socket-path.ts'
import { Registry } from '../admin/registry.ts'
import { lockFolder } from '../data-folder/restore-lock.ts'
import { type Config, type RawConfig, readConfig } from '../server/config/config.ts'
import { lookAtCertificate } from './certificate.ts'
import { type Finding, ok, problem, reasonOf, warning } from './check-result.ts'
import { lookAtFolder, lookAtLeftovers, lookAtOwners, lookAtPermissions, lookAtSecrets } from './data-folder.ts'
import { lookAtApplication, restoreAtWork } from './trees.ts'

/** Time in which a server that is well answers. */
const ANSWER_MS = 10_000

/**
 * Looks for trouble: in the settings, the files of the folder, the trees, the certificate, and at the server if one
 * runs. Changes nothing.
 * @param raw settings as the server gets them, `DATA_DIR` among them
 * @param full whether every row of every tree is read
 * @see docs/how-to/troubleshoot.md#looking-for-trouble
 */
export async function* examine(raw: RawConfig, full: boolean): AsyncGenerator<Finding, void> {
  yield lookAtVersions()
  let config: Config
  try {
    config = readConfig(raw)
    yield ok('settings', 'they can be served')
  } catch (error) {
    yield problem('settings', reasonOf(error).replaceAll('\n', '; '), 'mend them: the server would not start')
    // What else there is to be seen does not depend on them.
    config = readConfig({ DATA_DIR: raw['DATA_DIR'] })
  }
  const { DATA_DIR: dataDir } = config
  yield* lookAtFolder(dataDir)
  if (!existsSync(dataDir)) return
  const isReadable = yield* lookAtOwners(dataDir)
  const defaultId = yield* lookAtServer(config)
  if (!isReadable) return
  yield* lookAtPermissions(dataDir)
  yield* lookAtSecrets(dataDir)
  yield* lookAtApplications(config, defaultId, full)
  yield* lookAtCertificate(config)
}

function lookAtVersions(): Finding {
  const found = `dhole ${program.version}, Bun ${Bun.version}`
  if (Bun.semver.satisfies(Bun.version, program.engines.bun)) return ok('versions', found)
  return problem('versions', found, `run it with Bun ${program.engines.bun}`)
}

/** @returns name of the default application */
async function* lookAtServer(config: Config): AsyncGenerator<Finding, string> {
  const path = socketPath(config.DATA_DIR)
  if (path === undefined) {
    yield warning('server', 'the path of the folder is too long for a socket', 'use a folder with a shorter path')
    return config.APP_ID
  }
  try {
    const server = await connect(path)
    if (server === undefined) {
      yield ok('server', existsSync(path) ? 'none runs; the last one was killed' : 'none runs on this folder')
      return config.APP_ID
    }
    const { defaultId, open } = await server.call('state', {})
    const { pid, url } = await server.call('process', {})
    yield ok('server', `process ${pid} serves this folder and has ${open.length} applications open`)
    if (defaultId !== config.APP_ID) {
      yield warning('server', `its APP_ID is "${defaultId}", not "${config.APP_ID}"`, 'give the doctor its settings')
    }
    yield await lookAtPort(url)
    return defaultId
  } catch (error) {
    yield problem('server', reasonOf(error), 'look into its log, and start it again')
    return config.APP_ID
  }
}

/** Whether the server answers where it listens: over TLS, with any certificate. */
async function lookAtPort(origin: string | undefined): Promise<Finding> {
  if (origin === undefined) return warning('port', 'the server does not listen yet', 'ask again when it has started')
  const { port, hostname } = new URL(origin)
  // A listener on all addresses is asked on the one of this machine.
  const host = hostname === '0.0.0.0' ? '127.0.0.1' : hostname === '[::]' ? '[::1]' : hostname
  const url = `https://${host}:${port || '443'}/`
  try {
    await fetch(url, { method: 'OPTIONS', tls: { rejectUnauthorized: false }, signal: AbortSignal.timeout(ANSWER_MS) })
    return ok('port', `${url} answers`)
  } catch (error) {
    return problem('port', `${url} does not answer: ${reasonOf(error)}`, 'look into its log, and start it again')
  }
}

function* lookAtApplications(config: Config, defaultId: string, full: boolean): Generator<Finding, void> {
  const { DATA_DIR: dataDir, APP_SECRET, SMS_KEY } = config
  const fixed = { secret: APP_SECRET !== undefined, sms: SMS_KEY !== undefined }
  const ids = new Registry(dataDir).ids()
  yield* lookAtLeftovers(dataDir, new Set([defaultId, ...ids]))
  let lock: Disposable
  try {
    lock = lockFolder(dataDir, 'shared')
  } catch (error) {
    yield restoreAtWork(error)
    return
  }
  try {
    for (const id of new Set([defaultId, ...ids])) {
      yield* lookAtApplication(dataDir, id, full, id === defaultId ? fixed : undefined)
    }
  } finally {
    lock[Symbol.dispose]()
  }
}
