/** Reading and writing under rules without HTTP, in a process of its own. */
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Caller } from '../../src/auth/caller.ts'
import type { Database } from '../../src/database/database.ts'
import { openTree } from '../../src/open-tree.ts'
import type { Path } from '../../src/tree/path.ts'
import { answer, requestOf } from '../harness/child.ts'
import { medianCpuMicroseconds, medianMicroseconds, type SliceOptions, timeInTurns } from '../harness/slices.ts'
import {
  CLUB_RULES,
  draftPathsOf,
  drafts,
  fillClub,
  NOTES,
  notePaths,
  OPEN_RULES,
  USERS,
  userName,
} from '../stock/club.ts'
import { rulesAmong } from '../stock/rule-shapes.ts'

export interface EmbeddedRulesRequest extends SliceOptions {
  /** An empty directory. */
  readonly scratchDir: string
  readonly members: number
  /** Nodes of a small rules file and of a large one. */
  readonly fewNodes: number
  readonly manyNodes: number
}

/** Who asks: nobody, so that no rule applies, or a user under rules that allow everything, or under some that decide. */
export type Asked = 'plain' | 'open' | 'ruled'
export const WRITERS = { one: 1, many: USERS } as const
export type Writers = keyof typeof WRITERS

/** Microseconds each: of a read by the clock, of a write of processor time. */
export type EmbeddedRulesFigures = Readonly<
  Record<`read ${'plain' | 'open' | 'few' | 'many'}` | `write ${Asked} ${Writers}`, number>
>

type Work = (index: number) => unknown

/** Turns that are not counted, for each that is. */
const WARM_TURNS = 2

/** What filling the databases leaves to do in the background ends meanwhile. */
const SETTLE_MS = 500

async function measureRules(request: EmbeddedRulesRequest): Promise<EmbeddedRulesFigures> {
  const open = (name: string) => openTree({ file: join(request.scratchDir, name) })
  await using opened = open('open')
  await using ruled = open('ruled')
  await using few = open('few')
  await using many = open('many')
  for (const database of [opened, ruled, few, many]) await fillClub(database, request.members)
  await opened.setRules(OPEN_RULES)
  await ruled.setRules(CLUB_RULES)
  await few.setRules(rulesAmong(request.fewNodes))
  await many.setRules(rulesAmong(request.manyNodes))
  const reads: Record<string, Work> = {
    plain: read(opened, false),
    open: read(opened, true),
    few: read(few, true),
    many: read(many, true),
  }
  const works = Object.values(reads)
  for (const work of works) for (let index = 0; index < NOTES; index++) await work(index)
  await wait(SETTLE_MS)
  const figures: Record<string, number> = {}
  const timed = await timeInTurns(works, request)
  for (const [position, name] of Object.keys(reads).entries()) {
    const each = timed[position]
    if (each !== undefined) figures[`read ${name}`] = medianMicroseconds(each)
  }
  return { ...figures, ...(await measureWrites(opened, ruled, request)) } as EmbeddedRulesFigures
}

async function measureWrites(opened: Database, ruled: Database, options: SliceOptions) {
  const figures: Record<string, number> = {}
  for (const [writers, count] of Object.entries(WRITERS)) {
    const writes: Readonly<Record<Asked, Work>> = {
      plain: write(ruled, false, count),
      open: write(opened, true, count),
      ruled: write(ruled, true, count),
    }
    // Until it is compiled, what has more code costs more than it will.
    await timeInTurns(Object.values(writes), { ...options, slices: WARM_TURNS * options.slices })
    const timed = await timeInTurns(Object.values(writes), options)
    for (const [position, name] of Object.keys(writes).entries()) {
      const each = timed[position]
      if (each !== undefined) figures[`write ${name} ${writers}`] = medianCpuMicroseconds(each) / count
    }
  }
  return figures
}

/** Leaves of one user after the other, as text. */
function read(database: Database, isJudged: boolean): Work {
  const places = Array.from({ length: USERS }, (_, user) => {
    return notePaths(user).map((path) => ({ path, options: isJudged ? { as: caller(user) } : {} }))
  }).flat()
  return (index) => {
    const place = places[index % places.length]
    return place && database.node(place.path, place.options)
  }
}

/** A user's drafts, each with a later revision than before; so many users at once. */
function write(database: Database, isJudged: boolean, count: number): Work {
  const users = Array.from({ length: count }, (_, user) => {
    return { paths: draftPathsOf(user), draft: drafts(user), options: isJudged ? { as: caller(user) } : {} }
  })
  return (index) =>
    Promise.all(users.map(({ paths, draft, options }) => database.put(pathOf(paths, index), draft(), options)))
}

function pathOf(paths: readonly Path[], index: number): Path {
  return paths[index % paths.length] ?? []
}

function caller(user: number): Caller {
  return Object.freeze({ kind: 'user', auth: Object.freeze({ uid: userName(user), provider: 'custom', token: {} }) })
}

if (import.meta.main) answer(await measureRules(requestOf<EmbeddedRulesRequest>()))
