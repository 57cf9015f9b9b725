import { socketPath } from '../admin/control/control-client.ts'
import { type ControlSocket, listenForCommands, OtherServerError } from '../admin/control/control-server.ts'
import type { AdminTarget } from '../admin/operation.ts'
import type { ServerPorts } from '../admin/ports/server.ts'
import { serverTarget } from '../admin/server-target.ts'
import type { Applications } from '../applications/applications.ts'
import { makeDataFolder } from '../data-folder/create.ts'
import { closeFolders, type RemovedPermissions, removePermissionsOfOthers } from '../data-folder/private-modes.ts'
import { lockForServer } from '../data-folder/server-lock.ts'
import { clientLimits, startApplications } from '../dhole.ts'
import { messageOf } from '../files/system-error.ts'
import type { DholeOptions } from '../options.ts'
import { drain } from '../scheduling/steps.ts'
import { runInTurns } from '../scheduling/turns.ts'
import { DatabaseProblem } from '../store/postgres/connection/database-problem.ts'
import { adminServiceOf } from './admin-service.ts'
import { readFiles } from './config/config.ts'
import { dholeOptions } from './config/dhole-options.ts'
import type { Config } from './config/settings.ts'
import { warnAboutAccess } from './config/startup-warnings.ts'
import { announce, listen, stopListeners } from './listeners/listeners.ts'
import { createLogger, isForPeople, type Logger, logObserver, type ServerLog } from './logging/log.ts'
import { Monitoring } from './metrics/monitoring.ts'
import { operatorOf, rotated } from './operator.ts'
import { checkStart } from './start-checks.ts'
import { namingSetting, storageOf } from './storage.ts'
import { certificateSource } from './tls/certificate-source.ts'
import { localUrl } from './tls/own-names.ts'
import { CertificateRenewal, warnAboutValidity } from './tls/renewal.ts'
import { welcome } from './welcome.ts'

/** A running server. */
export interface RunningServer {
  /** Address of the HTTPS listener, such as `https://127.0.0.1:8443`. */
  readonly url: string
  /** Reads the certificate again and logs the outcome. */
  reload(): Promise<void>
  /**
   * Finishes open requests, moves the write-ahead logs into the databases and closes them.
   * @param hurried aborts the requests that are still open when it resolves
   */
  stop(hurried?: Promise<void>): Promise<void>
  /** Resolves when the server cannot make writes durable any more and has to stop. */
  readonly failed: Promise<void>
}

/**
 * Starts the server and prints its address.
 * @param doctor finds what `dhole doctor` finds
 * @throws Error with a message for the operator: port in use, file in use, bad certificate, wrong rules
 */
export async function serve(config: Config, doctor: ServerPorts['doctor']): Promise<RunningServer> {
  const logger = await createLogger(config.LOG_LEVEL, isForPeople(config.LOG_FORMAT))
  const files = readFiles(config)
  await checkStart(config)
  const lock = prepareFolder(config, logger)
  const failure = Promise.withResolvers<void>()
  const storage = storageOf(config, logger)
  const watched = new Monitoring({ slowMs: config.SLOW_REQUEST_MS, isInDatabase: config.DATABASE_URL !== undefined })
  const operator = operatorOf(config, logger)
  const log = logObserver(logger, { slowMs: config.SLOW_REQUEST_MS, onStoreFailed: failure.resolve })
  const options: DholeOptions = { ...dholeOptions(config, storage.keys, files), observer: watched.observer(log) }
  const source = certificateSource(config)
  const certificate = await source.read()
  warnAboutValidity(certificate, source.name, logger)
  const { applications, failedAttempts, kept } = startApplications(options, storage.onDemand, storage.engine)
  await databaseReached(kept, applications, log)
  const limits = clientLimits(options)
  const metrics = watched.page(() => applications.readiness())
  const renewing = Promise.withResolvers<CertificateRenewal>()
  const where: { url?: string } = {}
  let control: ControlSocket | undefined
  try {
    const reload = () => renewing.promise.then((found) => found.reload())
    const server = { doctor, clients: () => watched.clients(limits), rotateOperatorSecret: () => rotated(operator) }
    const parts = { administration: storage.administration(applications), applications, reload, server }
    const here = { process: () => ({ pid: process.pid, ...where }), backups: storage.backups }
    const target = serverTarget({ ...parts, ...here, ...watched.ports })
    storage.backups.actOn(target)
    control = await controlOf(config, logger, target)
    const admin = adminServiceOf(config, operator, target, failedAttempts, logger)
    const listeners = listen(config, certificate, applications, options, { limits, metrics, ...watched.lists, admin })
    const renewal = new CertificateRenewal(source, listeners.secure, logger, config.TLS_CHECK_MS)
    renewing.resolve(renewal)
    where.url = listeners.secure.url.origin
    for (const { database } of applications.open) warnAboutAccess(config, database, files.rules, logger)
    const port = announce(listeners, logger)
    welcome({ config, port, source, logger, isForPeople: isForPeople(config.LOG_FORMAT) })
    const url = localUrl(config, port)
    announceStart(url)
    const ending = new AbortController()
    makePrivate(config.DATA_DIR, ending.signal, logger)
    return {
      url,
      reload: () => renewal.reloadQuietly(),
      stop: async (hurried) => {
        logger.info('stopping')
        ending.abort()
        void hurried?.then(() => logger.warn('not waiting for requests under way'))
        renewal.stop()
        storage.backups.close()
        await control?.close()
        await stopListeners(listeners, applications, logger, hurried)
        lock?.[Symbol.dispose]()
        watched.close()
        logger.info('stopped')
      },
      failed: failure.promise,
    }
  } catch (error) {
    watched.close()
    await control?.close()
    await applications.close()
    lock?.[Symbol.dispose]()
    throw error
  }
}

/** Programs that start a server read this line; it is the last one of a start. */
function announceStart(url: string): void {
  process.stdout.write(`listening on ${url}\n`)
}

/** Makes the folder, and closes it to others. @returns holds it, unless its trees are locked. @throws Error when another server does */
function prepareFolder(config: Config, logger: Logger): Disposable | undefined {
  makeDataFolder(config.DATA_DIR)
  const lock = config.DATABASE_URL === undefined ? undefined : lockForServer(config.DATA_DIR)
  const { failed } = report(closeFolders(config.DATA_DIR), config.DATA_DIR, logger)
  // What lies in a folder that stays open can be read by others until its own permissions are removed.
  if (failed.length > 0) report(drain(removePermissionsOfOthers(config.DATA_DIR)), config.DATA_DIR, logger)
  return lock
}

/**
 * Waits until the applications that stay open are open. When the database is away, requests wait for it.
 * @throws Error when it cannot be used with these settings
 */
async function databaseReached(kept: Promise<unknown>, applications: Applications, log: ServerLog): Promise<void> {
  try {
    await kept
  } catch (error) {
    if (error instanceof DatabaseProblem && error.isAway) log.startedWithout(error.message)
    else {
      await applications.close()
      throw namingSetting(error)
    }
  }
}

/** Logs how the permissions of others, which an older version or a copy may have left, were removed. */
function report(removed: RemovedPermissions, dataDir: string, logger: Logger): RemovedPermissions {
  const { changed, failed } = removed
  if (changed > 0) logger.info(`took the permissions of others from ${changed} files and folders in ${dataDir}`)
  for (const line of failed) logger.warn(line)
  return removed
}

/** Removes the permissions of others from the files in closed folders, beside the requests: there may be thousands. */
function makePrivate(dataDir: string, ending: AbortSignal, logger: Logger): void {
  runInTurns(removePermissionsOfOthers(dataDir), () => ending.throwIfAborted()).then(
    (removed) => report(removed, dataDir, logger),
    (thrown) => ending.aborted || logger.warn(`cannot check who may read ${dataDir}: ${messageOf(thrown)}`),
  )
}

/**
 * Opens the control socket; `undefined` when the system cannot. The applications are open, so no other server has the
 * folder.
 * @throws OtherServerError when another server answers on the socket
 */
async function controlOf(config: Config, logger: Logger, target: AdminTarget): Promise<ControlSocket | undefined> {
  const path = socketPath(config.DATA_DIR)
  if (path === undefined) {
    logger.warn('the path of DATA_DIR is too long for a socket: what `dhole apps` changes is seen after a restart')
    return undefined
  }
  try {
    return await listenForCommands(path, target)
  } catch (error) {
    if (error instanceof OtherServerError) throw error
    logger.warn({ path, error: String(error) }, 'no socket: what `dhole apps` changes is seen after a restart')
    return undefined
  }
}
