import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { tempDir } from '../../support/temp-dir.ts'
import type { Luck } from './disk-file.ts'
import { imageProblems, writeImage } from './image.ts'
import { Random } from './random.ts'
import { type RecordedRun, recordRun, type Unsynced, unseenWrites } from './recorded-run.ts'
import { buildRecorder, type Entry } from './recording.ts'

/** Images that are made of one run. */
const IMAGES_OF_RUN = 250
/** So much is written and told while a process starts and its clients look at what is there. */
const ENTRIES_OF_START = 80
/** A disk in memory, where there is one: images are many, and none is to last. */
const MEMORY = '/dev/shm'

const LUCK: readonly [Luck, ...Luck[]] = [
  { kept: 0, torn: 0 },
  { kept: 1, torn: 0 },
  { kept: 0.5, torn: 0 },
  { kept: 0.5, torn: 0.3 },
  { kept: 0.9, torn: 0.1 },
  { kept: 0.1, torn: 0.2 },
]

export interface PowerLossPlan {
  readonly images: number
  readonly seed: number
  /**
   * Which processes do not sync before they acknowledge. Of `all` what is promised cannot be kept. After the `first`
   * the power goes only once the next one tells what it has found.
   */
  readonly unsynced?: Unsynced
  /** Hears of each run when all its images were looked at. */
  readonly onRun?: (images: number, problems: readonly string[]) => void
}

export interface PowerLossResult {
  readonly problems: readonly string[]
  readonly images: number
  readonly runs: number
  /** Marks, writes, syncs and the like that images were made of. */
  readonly entries: number
}

/** Records servers at work and looks at what their disk may hold if the power goes, at many moments and in many ways. */
export async function losePower({ images, seed, unsynced, onRun }: PowerLossPlan): Promise<PowerLossResult> {
  await using dir = await tempDir()
  const library = dir.file('recorder.so')
  buildRecorder(library)
  const random = new Random(seed)
  const result = { problems: [] as string[], images: 0, runs: 0, entries: 0 }
  while (result.images < images) {
    const runSeed = random.below(2 ** 32)
    await using folder = await tempDir()
    const run = await recordRun({
      seed: runSeed,
      library,
      folder: folder.path,
      ...(unsynced === undefined ? {} : { unsynced }),
    })
    const number = Math.min(IMAGES_OF_RUN, images - result.images)
    const found = [...run.problems, ...unseenWrites(run).map((file) => `written to unseen: ${file}`)]
    found.push(...(await imagesOf(run, number, new Random(runSeed), unsynced === 'first')))
    result.problems.push(...found.map((problem) => `run ${result.runs + 1}, seed ${runSeed}: ${problem}`))
    result.images += number
    result.runs++
    result.entries += run.entries.length
    onRun?.(result.images, found)
  }
  return result
}

/** @param later whether the power stays on until a second process has told what it has found */
async function imagesOf(run: RecordedRun, number: number, random: Random, later: boolean): Promise<readonly string[]> {
  const { entries, casts, dataDir } = run
  const moments = momentsOf(entries, number, random, later)
  const disk = run.disk()
  const told = new Map<string, number>()
  const problems: string[] = []
  let next = 0
  for (const [at, entry] of entries.entries()) {
    disk.apply(entry)
    if (entry.kind === 'mark') told.set(entry.name, (told.get(entry.name) ?? 0) + 1)
    for (; moments[next] === at; next++) {
      const luck = random.pick(LUCK)
      const folder = await mkdtemp(join(existsSync(MEMORY) ? MEMORY : tmpdir(), 'dhole-image-'))
      writeImage(disk.afterLoss(random, luck), dataDir, folder)
      const found = (await Promise.all(casts.map((cast) => imageProblems(folder, cast, told)))).flat()
      const where = `behind entry ${at} of ${entries.length}, ${luck.kept} kept and ${luck.torn} torn`
      problems.push(...found.map((problem) => `${where}: ${problem}`))
      await rm(folder, { recursive: true, force: true })
    }
  }
  return problems
}

/**
 * When the power goes: anywhere, right after somebody was told something, around what is rare, and when a process has
 * told the first of what the one before it had left.
 */
function momentsOf(entries: readonly Entry[], number: number, random: Random, later: boolean): readonly number[] {
  const from = later ? (startsOf(entries)[1] ?? 0) : 0
  const marks = placesOf(entries, ({ kind }, at) => kind === 'mark' && at > from)
  const rare = placesOf(entries, ({ kind }) => kind !== 'mark' && kind !== 'write')
  const starts = startsOf(entries)
  const first = marks.filter((mark) => starts.some((start) => mark > start && mark < start + ENTRIES_OF_START))
  const near = (places: readonly number[]) => places[random.below(places.length)] ?? 0
  const pick = [
    () => random.below(entries.length),
    () => near(marks),
    () => near(first),
    () => Math.min(entries.length - 1, near(rare) + random.below(3)),
  ] as const
  const earliest = later ? (marks[0] ?? 0) : 0
  return Array.from({ length: number }, () => Math.max(earliest, random.pick(pick)())).sort((one, other) => one - other)
}

/** Where processes begin: each numbers its syncs from another one on. */
function startsOf(entries: readonly Entry[]): readonly number[] {
  let process = -1n
  return placesOf(entries, (entry) => {
    if (entry.kind !== 'sync-begun' || entry.sync >> 32n === process) return false
    process = entry.sync >> 32n
    return true
  })
}

function placesOf(entries: readonly Entry[], isMeant: (entry: Entry, at: number) => boolean): readonly number[] {
  return entries.flatMap((entry, at) => (isMeant(entry, at) ? [at] : []))
}
