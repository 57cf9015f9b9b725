import { existsSync } from 'node:fs'
import program from '../../package.json' with { type: 'json' }
import { fixedKeys, type ServerState } from '../admin/administration.ts'
import { connect, socketPath } from '../admin/control/control-client.ts'
import { Registry } from '../admin/registry.ts'
import { lockFolder } from '../data-folder/restore-lock.ts'
import { messageOf } from '../files/system-error.ts'
import { type RawConfig, readConfig } from '../server/config/config.ts'
import { databaseServer } from '../server/config/database-server.ts'
import type { Config } from '../server/config/settings.ts'
import { checkCertificate } from './certificate.ts'
import { type CheckResult, ok, problem, warning } from './check-result.ts'
import { checkClients } from './clients.ts'
import { checkFolder, checkLeftovers, checkOwners, checkPermissions, checkSecrets } from './data-folder.ts'
import { checkApplication, restoreRunning } from './trees.ts'

/** Maximum response time of a healthy server. */
const ANSWER_MS = 10_000

type Defaults = Pick<ServerState, 'defaultId' | 'fixedKeys'>

/**
 * Checks the settings, the files of the folder, the trees, the certificate, and the server if one runs. Changes nothing.
 * @param raw settings of the server, with `DATA_DIR`
 * @param full reads every row of every tree
 * @see docs/how-to/troubleshoot.md#looking-for-trouble
 */
export async function* examine(raw: RawConfig, full: boolean): AsyncGenerator<CheckResult, void> {
  yield checkVersions()
  let config: Config
  try {
    config = readConfig(raw)
    yield ok('settings', 'they are valid')
  } catch (error) {
    yield problem('settings', messageOf(error).replaceAll('\n', '; '), 'correct them: the server would not start')
    // The other checks do not depend on the settings.
    config = readConfig({ DATA_DIR: raw['DATA_DIR'] })
  }
  const { DATA_DIR: dataDir } = config
  yield* checkDatabaseOf(config, full)
  yield* checkFolder(dataDir)
  if (!existsSync(dataDir)) return
  const isReadable = yield* checkOwners(dataDir)
  const defaults = yield* checkServer(config)
  if (!isReadable) return
  yield* checkPermissions(dataDir)
  yield* checkSecrets(dataDir)
  if (config.DATABASE_URL === undefined) yield* checkApplications(dataDir, defaults, full)
  yield* checkCertificate(config)
}

/** Checks the database, if the settings name one. */
async function* checkDatabaseOf(config: Config, full: boolean): AsyncGenerator<CheckResult, void> {
  try {
    const server = databaseServer(config)
    if (server === undefined) return
    // Loaded on demand: most servers have files.
    const { checkDatabase } = await import('./database.ts')
    yield* checkDatabase(server, full)
  } catch (error) {
    yield problem('database', messageOf(error), 'correct the settings')
  }
}

function checkVersions(): CheckResult {
  const found = `dhole ${program.version}, Bun ${Bun.version}`
  if (Bun.semver.satisfies(Bun.version, program.engines.bun)) return ok('versions', found)
  return problem('versions', found, `run it with Bun ${program.engines.bun}`)
}

/** @returns the default application: of the server, or of the settings where none runs */
async function* checkServer(config: Config): AsyncGenerator<CheckResult, Defaults> {
  const { APP_SECRET, SMS_KEY } = config
  const configured: Defaults = { defaultId: config.APP_ID, fixedKeys: fixedKeys({ APP_SECRET, SMS_KEY }) }
  const path = socketPath(config.DATA_DIR)
  if (path === undefined) {
    yield warning('server', 'the path of the folder is too long for a socket', 'use a folder with a shorter path')
    return configured
  }
  try {
    const server = await connect(path)
    if (server === undefined) {
      yield ok('server', existsSync(path) ? 'none runs; the last one was killed' : 'none runs on this folder')
      return configured
    }
    const state = await server.call('state', {})
    const { pid, url } = await server.call('process', {})
    yield ok('server', `process ${pid} serves this folder and has ${state.open.length} applications open`)
    if (state.defaultId !== config.APP_ID) {
      yield warning(
        'server',
        `its APP_ID is "${state.defaultId}", not "${config.APP_ID}"`,
        'give the doctor its settings',
      )
    }
    yield await checkPort(url)
    yield* checkClients(await server.call('clients', {}))
    return state
  } catch (error) {
    yield problem('server', messageOf(error), 'read its log, and start it again')
    return configured
  }
}

/** Checks that the server responds on its address, over TLS with any certificate. */
async function checkPort(origin: string | undefined): Promise<CheckResult> {
  if (origin === undefined) return warning('port', 'the server does not listen yet', 'try again when it has started')
  const { port, hostname } = new URL(origin)
  // A listener on all addresses is reachable on the loopback address.
  const host = hostname === '0.0.0.0' ? '127.0.0.1' : hostname === '[::]' ? '[::1]' : hostname
  const url = `https://${host}:${port || '443'}/`
  try {
    await fetch(url, { method: 'OPTIONS', tls: { rejectUnauthorized: false }, signal: AbortSignal.timeout(ANSWER_MS) })
    return ok('port', `${url} answers`)
  } catch (error) {
    return problem('port', `${url} does not answer: ${messageOf(error)}`, 'read its log, and start it again')
  }
}

function* checkApplications(
  dataDir: string,
  { defaultId, fixedKeys: fixed }: Defaults,
  full: boolean,
): Generator<CheckResult, void> {
  const ids = new Registry(dataDir).ids()
  yield* checkLeftovers(dataDir, new Set([defaultId, ...ids]))
  let lock: Disposable
  try {
    lock = lockFolder(dataDir, 'shared')
  } catch (error) {
    yield restoreRunning(error)
    return
  }
  try {
    for (const id of new Set([defaultId, ...ids])) {
      yield* checkApplication(dataDir, id, full, id === defaultId ? fixed : undefined)
    }
  } finally {
    lock[Symbol.dispose]()
  }
}
