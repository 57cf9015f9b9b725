/** Makes or restores a backup on a thread of its own: files are read and synced without a pause. */
import { treeFile } from '../../data-folder/tree-file.ts'
import { sizeOf } from '../../files/file-size.ts'
import { messageOf } from '../../files/system-error.ts'
import { AdminClient, type AdminTransport } from '../admin-client.ts'
import { type BackupOptions, chooseApplications, makeBackup } from './backup.ts'
import { planRestore, type RestoreOptions, restore } from './restore.ts'

declare const self: Worker

/** What the worker does. */
export type BackupJob =
  | { readonly work: 'backup'; readonly options: BackupOptions }
  | { readonly work: 'restore'; readonly options: RestoreOptions }

/** A message to the worker: the job first, then replies to its calls. */
export type ToWorker = { readonly job: BackupJob } | CallReply

/** Reply to an admin operation that the worker has called. */
export interface CallReply {
  readonly call: number
  readonly result?: unknown
  readonly error?: string
}

/** A message of the worker. */
export type FromWorker =
  /** It calls an admin operation of the server. */
  | { readonly call: number; readonly name: string; readonly input: object }
  /** Nothing speaks against the job. @param total approximate bytes to copy */
  | { readonly begun: true; readonly total: number }
  /** @param done copied bytes of all trees @param id application that is being copied */
  | { readonly done: number; readonly id: string | undefined }
  | { readonly ended: true; readonly error?: string }

const calls = new Map<number, PromiseWithResolvers<unknown>>()

/** Has the thread of the server carry out operations. */
const transport: AdminTransport = {
  send: (name, input) => {
    const call = calls.size + 1
    const reply = Promise.withResolvers<unknown>()
    calls.set(call, reply)
    post({ call, name, input })
    return reply.promise
  },
  stream: () => {
    throw new Error('a backup needs no stream')
  },
}

self.onmessage = ({ data }: MessageEvent<ToWorker>) => {
  if ('job' in data) {
    run(data.job, new AdminClient(transport)).then(
      () => post({ ended: true }),
      (thrown) => post({ ended: true, error: messageOf(thrown) }),
    )
  } else if (data.error === undefined) calls.get(data.call)?.resolve(data.result)
  else calls.get(data.call)?.reject(new Error(data.error))
}

async function run(job: BackupJob, admin: AdminClient): Promise<void> {
  if (job.work === 'backup') await runBackup(job.options, admin)
  else await runRestore(job.options, admin)
}

async function runBackup(options: BackupOptions, admin: AdminClient): Promise<void> {
  const { dataDir } = options
  const chosen = await chooseApplications(dataDir, admin, options.ids)
  post({ begun: true, total: chosen.reduce((sum, id) => sum + sizeOf(treeFile(dataDir, id)), 0) })
  let copied = 0
  await makeBackup(options, admin, {
    onCopying: (bytes, _, id) => post({ done: copied + bytes, id }),
    onCopied: (id, { bytes }) => {
      copied += bytes
      post({ done: copied, id })
    },
  })
}

/** @throws Error for an application that is not registered: its new keys would be lost */
async function runRestore(options: RestoreOptions, admin: AdminClient): Promise<void> {
  const planned = await planRestore(options, admin, false)
  const unknown = planned.find(({ registers }) => registers)
  if (unknown !== undefined) {
    throw new Error(`there is no application "${unknown.id}" any more: add it first, then restore its tree`)
  }
  const treeless = planned.find(({ bytes }) => bytes === null)
  if (treeless !== undefined) throw new Error(`the backup has no tree of "${treeless.id}"`)
  post({ begun: true, total: planned.reduce((sum, { bytes }) => sum + (bytes ?? 0), 0) })
  const [id] = options.ids ?? []
  await restore(options, admin, {
    onCopying: (bytes) => post({ done: bytes, id }),
    onRestored: () => {},
    onRegistered: () => {},
  })
}

function post(message: FromWorker): void {
  self.postMessage(message)
}
