import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** What a server process holds at a moment. */
export interface Sample {
  /** Seconds since the load began. */
  readonly at: number
  /** Whether the load was on; what is taken at rest is not judged with the rest. */
  readonly isLoaded: boolean
  readonly rssBytes: number
  /** Of it what is the process's own, without what it has mapped of files. */
  readonly anonymousBytes: number
  /** Of the JavaScript heap; `undefined` where the process does not tell. */
  readonly heapBytes: number | undefined
  readonly descriptors: number
  readonly threads: number
  /** All files of the folder. */
  readonly fileBytes: number
  /** The write-ahead logs among them. */
  readonly walBytes: number
}

const KIB = 1024

/** Takes a sample of a process on Linux and of the folder it works in. */
export function takeSample(
  process: { readonly pid: number; readonly dataDir: string },
  rest: Pick<Sample, 'at' | 'isLoaded' | 'heapBytes'>,
): Sample {
  const status = readFileSync(`/proc/${process.pid}/status`, 'utf8')
  return {
    ...rest,
    rssBytes: field(status, 'VmRSS') * KIB,
    anonymousBytes: field(status, 'RssAnon') * KIB,
    descriptors: descriptorsOf(process.pid).length,
    threads: field(status, 'Threads'),
    ...sizesOf(process.dataDir),
  }
}

/** What the descriptors of a process lead to, without the numbers that nothing else has. */
export function descriptorsOf(pid: number): readonly string[] {
  const folder = `/proc/${pid}/fd`
  return readdirSync(folder).map((name) => {
    try {
      return readlinkSync(join(folder, name)).replace(/:\[\d+\]$/, '')
    } catch {
      return 'closed meanwhile'
    }
  })
}

function field(status: string, name: string): number {
  return Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1])
}

function sizesOf(folder: string): Pick<Sample, 'fileBytes' | 'walBytes'> {
  let fileBytes = 0
  let walBytes = 0
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile()) continue
    // A file may go between the listing and the look at it: the applications come and go.
    const size = statSync(join(entry.parentPath, entry.name), { throwIfNoEntry: false })?.size ?? 0
    fileBytes += size
    if (entry.name.endsWith('-wal')) walBytes += size
  }
  return { fileBytes, walBytes }
}
