/** The fan-out half: its parts in the order of their rows. */

import type { Samples, Variant } from '../harness/rounds.ts'
import type { Settings } from '../harness/settings.ts'
import type { Workspace } from '../harness/workspace.ts'
import type { Row } from '../report/table.ts'
import { deliveryPart } from './delivery.ts'
import { embeddedPublishPart } from './embedded.ts'
import { memoryPart } from './memory.ts'
import { nchanPart } from './nchan.ts'
import { othersPart } from './others.ts'

const PARTS = [deliveryPart, memoryPart, othersPart, embeddedPublishPart, nchanPart]

/** The smallest and the largest tree are all that is compared. */
export function prepareFanOut(workspace: Workspace, { sizes }: Settings): Promise<void> {
  return workspace.build('tree', [...new Set([sizes[0] ?? 0, sizes.at(-1) ?? 0])])
}

export function fanOutVariants(workspace: Workspace, settings: Settings): Variant[] {
  return PARTS.flatMap((part) => part.variants(workspace, settings))
}

export function fanOutRows(samples: Samples, settings: Settings): Row[] {
  return PARTS.flatMap((part) => part.rows(samples, settings))
}

export function describeFanOut({ rounds, publishSeconds }: Settings): string {
  return `${rounds} rounds, ${publishSeconds} s of publishing each; messages of 100 bytes.`
}
