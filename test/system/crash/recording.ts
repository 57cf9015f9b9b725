import { spawnSync } from 'node:child_process'
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs'

const SOURCE = Bun.fileURLToPath(new URL('./recorder.c', import.meta.url))
const HEAD_BYTES = 32
const MARK = 100

/** One thing that has happened to the files of a folder, or was said about it. Files go by the number of their inode. */
export type Entry =
  | { readonly kind: 'write'; readonly file: bigint; readonly at: number; readonly bytes: Uint8Array }
  | { readonly kind: 'truncate'; readonly file: bigint; readonly length: number }
  | { readonly kind: 'sync-begun' | 'sync-ended'; readonly file: bigint; readonly sync: bigint }
  | { readonly kind: 'created' | 'folder'; readonly file: bigint; readonly path: string }
  | { readonly kind: 'renamed'; readonly from: string; readonly to: string }
  | { readonly kind: 'removed'; readonly path: string }
  /** What a client was told, in the moment it knew. */
  | { readonly kind: 'mark'; readonly name: string }

/** Whether there is a compiler, without which nothing can be recorded. */
export function hasCompiler(): boolean {
  return process.platform === 'linux' && Bun.which('cc') !== null
}

/** Builds the library that writes down what a process does to files. @throws Error with what the compiler says */
export function buildRecorder(library: string): void {
  const { status, stderr } = spawnSync('cc', ['-shared', '-fPIC', '-O2', '-Wall', '-o', library, SOURCE, '-ldl'])
  if (status !== 0) throw new Error(`cc: ${stderr}`)
}

/** Kills a recorded process between two calls. */
export const KILL_RECORDED = 'SIGSTKFLT'

export interface RecorderSettings {
  readonly library: string
  /** The folder, without links in its path. */
  readonly root: string
  readonly log: string
  /** Whether `fdatasync` is left out, as if nobody had called it. */
  readonly withoutDatasync?: boolean
}

/** Longest time by which a sync takes longer: requests come meanwhile, as on a slow disk. */
const LONGEST_SYNC_US = 3000

/** What the environment of a recorded process must have. */
export function recorderEnvironment(settings: RecorderSettings): Record<string, string> {
  return {
    LD_PRELOAD: settings.library,
    RECORDER_ROOT: settings.root,
    RECORDER_LOG: settings.log,
    RECORDER_SYNC_US: String(LONGEST_SYNC_US),
    ...(settings.withoutDatasync === true ? { RECORDER_NO_DATASYNC: '1' } : {}),
  }
}

/** Puts what clients were told between what the server does. */
export class Marks implements Disposable {
  readonly #descriptor: number

  constructor(log: string) {
    this.#descriptor = openSync(log, 'a')
  }

  /** In the log before this returns, behind all that the server had done when the client heard. */
  put(name: string): void {
    const body = Buffer.from(name)
    const record = Buffer.alloc(HEAD_BYTES + body.length)
    record.writeUInt32LE(MARK, 0)
    record.writeUInt32LE(body.length, 4)
    record.set(body, HEAD_BYTES)
    writeSync(this.#descriptor, record)
  }

  [Symbol.dispose](): void {
    closeSync(this.#descriptor)
  }
}

/** What a log holds, in order. */
export function readRecording(log: string): readonly Entry[] {
  const bytes = readFileSync(log)
  const entries: Entry[] = []
  for (let at = 0; at < bytes.length; ) {
    const length = bytes.readUInt32LE(at + 4)
    const end = at + HEAD_BYTES + length
    // The last record of a process that was killed may be cut off: nothing was acknowledged by it.
    if (end > bytes.length) break
    entries.push(entryOf(bytes.subarray(at, at + HEAD_BYTES), bytes.subarray(at + HEAD_BYTES, end)))
    at = end
  }
  return entries
}

function entryOf(head: Buffer, body: Buffer): Entry {
  const kind = head.readUInt32LE(0)
  const file = head.readBigUInt64LE(8)
  const number = head.readBigUInt64LE(16)
  switch (kind) {
    case 1:
      return { kind: 'write', file, at: Number(number), bytes: body }
    case 2:
      return { kind: 'truncate', file, length: Number(number) }
    case 3:
      return { kind: 'sync-begun', file, sync: number }
    case 4:
      return { kind: 'sync-ended', file, sync: number }
    case 5:
      return { kind: 'created', file, path: body.toString() }
    case 6:
      return { kind: 'folder', file, path: body.toString() }
    case 7: {
      const [from = '', to = ''] = body.toString().split('\0')
      return { kind: 'renamed', from, to }
    }
    case 8:
      return { kind: 'removed', path: body.toString() }
    case MARK:
      return { kind: 'mark', name: body.toString() }
    default:
      throw new Error(`no kind of record: ${kind}`)
  }
}
