import { existsSync, readdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DholeError } from '../../error.ts'
import { shippedWorker } from '../../files/shipped-file.ts'
import { messageOf } from '../../files/system-error.ts'
import { stagedFile } from '../file-administration.ts'
import type { AdminTarget } from '../operation.ts'
import type { BackupState, ListedBackup } from '../operations/storage-schemas.ts'
import { operationNamed } from '../operations.ts'
import type { BackupsPort } from '../ports/backups.ts'
import { isBackupName, listBackups } from './backup-list.ts'
import type { BackupJob, FromWorker, ToWorker } from './backup-worker.ts'
import { manifestFile } from './manifest.ts'

/** Operations that the worker may call, and nothing else. */
const CALLED: ReadonlySet<string> = new Set(['state', 'settle', 'replace-tree'])

/** A job that is under way. */
interface Running {
  readonly job: BackupJob
  readonly name: string
  readonly worker: Worker
  /** Application that is being copied. */
  id: string | undefined
  done: number
  total: number
  /** Whether a tree may have been replaced: its copy must stay. */
  hasReplaced: boolean
  /** Refuses a job that has not begun. */
  readonly broken: (reason: DholeError) => void
}

/** The backups of the trees in a data folder. A worker makes and restores them: the server goes on meanwhile. */
export class FileBackups implements BackupsPort {
  readonly #dataDir: string
  readonly #folder: string
  #running: Running | undefined
  #last: BackupState['last']
  #isClosed = false
  #target: AdminTarget | undefined

  /** @param folder of the backups, made when it is needed */
  constructor(dataDir: string, folder: string) {
    this.#dataDir = dataDir
    this.#folder = folder
  }

  /** @param target carries out what a backup needs of the server */
  actOn(target: AdminTarget): void {
    this.#target = target
  }

  list(): Promise<readonly ListedBackup[]> {
    return listBackups(this.#folder)
  }

  state(): BackupState {
    const running = this.#running
    const last = this.#last === undefined ? {} : { last: this.#last }
    if (running === undefined) return { done: 0, total: 0, ...last }
    const { job, name, id, done, total } = running
    const shown = { work: job.work, name, ...(id === undefined ? {} : { id }) }
    return { running: shown, done, total, ...last }
  }

  async make(ids: readonly string[] | undefined): Promise<string> {
    const name = this.#freeName()
    const options = { dataDir: this.#dataDir, target: join(this.#folder, name), ids, withSecrets: false }
    await this.#begin({ work: 'backup', options }, name)
    return name
  }

  async restore(name: string, id: string): Promise<void> {
    const source = join(this.#folder, name)
    if (!isBackupName(name) || !existsSync(manifestFile(source))) {
      throw new DholeError('admin-unknown', `there is no backup ${JSON.stringify(name)}`)
    }
    const options = { dataDir: this.#dataDir, source, ids: [id], stamp: stampNow(), keep: true }
    await this.#begin({ work: 'restore', options }, name)
  }

  /** Breaks off what is under way, and removes what it has left. Nothing begins any more. */
  close(): void {
    const running = this.#running
    this.#isClosed = true
    if (running === undefined) return
    this.#running = undefined
    running.worker.terminate()
    running.broken(new DholeError('unavailable'))
    const { job } = running
    if (job.work === 'backup') {
      const folder = dirname(job.options.target)
      for (const left of existsSync(folder) ? readdirSync(folder) : []) {
        if (left.startsWith(`${running.name}.unfinished-`)) rmSync(join(folder, left), { recursive: true, force: true })
      }
    } else if (!running.hasReplaced) {
      for (const id of job.options.ids ?? []) rmSync(stagedFile(this.#dataDir, id, job.options.stamp), { force: true })
    }
  }

  /** Resolves when nothing speaks against the job. @throws `admin-state` otherwise */
  #begin(job: BackupJob, name: string): Promise<void> {
    if (this.#isClosed) throw new DholeError('unavailable')
    if (this.#running !== undefined) {
      const { job: other } = this.#running
      throw new DholeError('admin-state', `a ${other.work} is under way: try again when it is done`)
    }
    const begun = Promise.withResolvers<void>()
    const worker = new Worker(shippedWorker('src/admin/backup/backup-worker.ts'))
    const running: Running = {
      ...{ job, name, worker, id: undefined, done: 0, total: 0, hasReplaced: false },
      broken: begun.reject,
    }
    this.#running = running
    const end = (error?: string) => {
      worker.terminate()
      if (error !== undefined) begun.reject(new DholeError('admin-state', error))
      if (this.#running !== running) return
      this.#running = undefined
      const problem = error === undefined ? {} : { error }
      this.#last = { work: job.work, name, at: Date.now(), ...problem }
    }
    worker.onerror = ({ message }) => end(message)
    worker.onmessage = ({ data }: MessageEvent<FromWorker>) => {
      if ('call' in data) void this.#answer(running, data)
      else if ('begun' in data) {
        running.total = data.total
        begun.resolve()
      } else if ('ended' in data) end(data.error)
      else {
        running.done = data.done
        running.id = data.id
      }
    }
    post(worker, { job })
    return begun.promise
  }

  /** Carries out an operation for the worker. */
  async #answer(running: Running, { call, name, input }: Extract<FromWorker, { call: number }>): Promise<void> {
    if (name === 'replace-tree') running.hasReplaced = true
    try {
      const operation = operationNamed(name)
      if (!CALLED.has(name) || operation.kind !== 'value') throw new Error(`a backup may not call ${name}`)
      if (this.#target === undefined) throw new Error('no server runs here')
      post(running.worker, { call, result: await operation.run(this.#target, input) })
    } catch (error) {
      post(running.worker, { call, error: messageOf(error) })
    }
  }

  /** A name by the time that no backup has. */
  #freeName(): string {
    const stamp = stampNow()
    for (let number = 1; ; number++) {
      const name = number === 1 ? stamp : `${stamp}-${number}`
      if (!existsSync(join(this.#folder, name))) return name
    }
  }
}

/** The backups of applications in a database, which its own programs make. */
export class DatabaseBackups implements BackupsPort {
  async list(): Promise<never> {
    throw elsewhere()
  }

  state(): never {
    throw elsewhere()
  }

  async make(): Promise<never> {
    throw elsewhere()
  }

  async restore(): Promise<never> {
    throw elsewhere()
  }

  actOn(): void {}

  close(): void {}
}

function elsewhere(): DholeError {
  return new DholeError(
    'admin-state',
    'the applications are in a database: back it up with its own tools, such as pg_dump',
  )
}

/** The time now for names of files, such as `2026-11-21T100000000Z`. */
function stampNow(): string {
  return new Date().toISOString().replace(/[:.]/g, '')
}

function post(worker: Worker, message: ToWorker): void {
  worker.postMessage(message)
}
