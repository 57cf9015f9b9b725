/** The querying half: its parts in the order of their rows. */

import type { Samples, Variant } from '../harness/rounds.ts'
import type { Settings } from '../harness/settings.ts'
import type { Workspace } from '../harness/workspace.ts'
import type { Row } from '../report/table.ts'
import { LIST_CHILDREN } from '../stock/places.ts'
import { acebasePart, loadAcebase } from './acebase.ts'
import { embeddedPart } from './embedded.ts'
import { firstPart } from './first.ts'
import { httpsPart } from './https.ts'
import { writesPart } from './writes.ts'

const PARTS = [embeddedPart, httpsPart, firstPart, writesPart, acebasePart]

/** AceBase takes its time to load, in a process of its own: the lists are made meanwhile. */
export async function prepareQuery(workspace: Workspace, settings: Settings): Promise<void> {
  await Promise.all([loadAcebase(workspace, settings), buildLists(workspace, settings)])
}

async function buildLists(workspace: Workspace, settings: Settings): Promise<void> {
  await workspace.build('places', settings.sizes)
  await workspace.build('twins', [LIST_CHILDREN])
}

export function queryVariants(workspace: Workspace, settings: Settings): Variant[] {
  return PARTS.flatMap((part) => part.variants(workspace, settings))
}

export function queryRows(samples: Samples, settings: Settings): Row[] {
  return PARTS.flatMap((part) => part.rows(samples, settings))
}
