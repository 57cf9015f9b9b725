/** The fan-out half: its parts in the order of their rows. */
import { deliveryPart } from './fan-out-delivery.ts'
import { embeddedPublishPart } from './fan-out-embedded.ts'
import { memoryPart } from './fan-out-memory.ts'
import { nchanPart } from './fan-out-nchan.ts'
import { othersPart } from './fan-out-others.ts'
import type { Row } from './report.ts'
import type { Samples, Variant } from './rounds.ts'
import type { Settings } from './settings.ts'
import type { Workspace } from './workspace.ts'

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
