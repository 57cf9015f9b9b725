/** Loads the places into AceBase, in a process of its own and in bounded time. */
import { writeFileSync } from 'node:fs'
import { answer, requestOf } from '../harness/child.ts'
import { place, placeKey } from '../stock/places.ts'
import { ACEBASE_INDEXES, ACEBASE_LIST, loadedFile, openAcebase } from './acebase-file.ts'

export interface AcebaseLoadRequest {
  readonly dataDir: string
  readonly children: number
  readonly limitMs: number
}

export interface AcebaseLoadFigures {
  readonly ms: number
  readonly finished: boolean
}

/** One `set` of the whole list takes longer: more than five minutes for 100k. */
const CHILDREN_PER_UPDATE = 5000

async function load({ dataDir, children, limitMs }: AcebaseLoadRequest): Promise<never> {
  const start = performance.now()
  setTimeout(() => answer({ ms: limitMs, finished: false } satisfies AcebaseLoadFigures), limitMs)
  const database = await openAcebase(dataDir)
  for (let first = 0; first < children; first += CHILDREN_PER_UPDATE) {
    const length = Math.min(CHILDREN_PER_UPDATE, children - first)
    const page = Array.from({ length }, (_, step) => [placeKey(first + step), place(first + step, children)])
    await database.ref(ACEBASE_LIST).update(Object.fromEntries(page))
  }
  for (const key of ACEBASE_INDEXES) await database.indexes.create(ACEBASE_LIST, key)
  await database.close()
  writeFileSync(loadedFile(dataDir), '')
  return answer({ ms: performance.now() - start, finished: true } satisfies AcebaseLoadFigures)
}

if (import.meta.main) await load(requestOf<AcebaseLoadRequest>())
