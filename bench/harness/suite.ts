/** Everything there is to measure, and how it is run. */
import { clusterChapter } from '../cluster/cluster.ts'
import { fanOutChapter } from '../fan-out/fan-out.ts'
import { growthChapter } from '../growth/growth.ts'
import { memoryChapter } from '../memory/memory.ts'
import { mixedChapter } from '../mixed/mixed.ts'
import { peersChapter } from '../peers/peers.ts'
import { postgresChapter } from '../postgres/postgres.ts'
import { queryChapter } from '../query/query.ts'
import { readChapter } from '../read/read.ts'
import { withReason } from '../report/known-misses.ts'
import type { Row } from '../report/row.ts'
import { rulesChapter } from '../rules/rules.ts'
import { smsChapter } from '../sms/sms.ts'
import { socketChapter } from '../socket/socket.ts'
import { startupChapter } from '../startup/startup.ts'
import { writeChapter } from '../write/write.ts'
import type { Chapter, Part } from './part.ts'
import { runRounds, type Samples, type Step } from './rounds.ts'
import type { Settings } from './settings.ts'
import type { Workspace } from './workspace.ts'

/** In the order they are run in. */
export const chapters = {
  read: readChapter,
  write: writeChapter,
  query: queryChapter,
  'fan-out': fanOutChapter,
  socket: socketChapter,
  rules: rulesChapter,
  sms: smsChapter,
  memory: memoryChapter,
  startup: startupChapter,
  peers: peersChapter,
  mixed: mixedChapter,
  growth: growthChapter,
  postgres: postgresChapter,
  cluster: clusterChapter,
} as const satisfies Readonly<Record<string, Chapter>>
export type ChapterName = keyof typeof chapters
export const chapterNames = Object.keys(chapters) as ChapterName[]

/** Why a chapter cannot be measured on this machine; `undefined` when it can. */
export function missingFor(name: ChapterName): string | undefined {
  const { missing }: Chapter = chapters[name]
  return missing
}

/** What one chapter has for such a run: nothing when all of it takes too long for a quick one. */
export function partsOf(name: ChapterName, { quick }: Settings): readonly Part[] {
  const { parts }: Chapter = chapters[name]
  return quick ? parts.filter((part) => part.quick) : parts
}

/** What became of the measurements, with where README.md says why a goal is missed. */
export function rowsOf(name: ChapterName, parts: readonly Part[], samples: Samples, settings: Settings): Row[] {
  return parts.flatMap((part) => part.rows(samples, settings)).map((row) => withReason(name, row))
}

/** Measures what one chapter has for such a run. @param announce told of each measurement before it begins */
export async function runChapter(
  name: ChapterName,
  workspace: Workspace,
  settings: Settings,
  announce: (step: Step) => void,
): Promise<Row[]> {
  const chosen = partsOf(name, settings)
  for (const part of chosen) await part.prepare?.(workspace, settings)
  const measurements = chosen.flatMap((part) => part.variants(workspace, settings))
  const samples = await runRounds(measurements, settings.rounds, announce)
  await workspace.endPostgres()
  return rowsOf(name, chosen, samples, settings)
}
