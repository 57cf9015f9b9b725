/** The rules half: its parts in the order of their rows. */

import type { Samples, Variant } from '../harness/rounds.ts'
import type { Settings } from '../harness/settings.ts'
import type { Workspace } from '../harness/workspace.ts'
import type { Row } from '../report/table.ts'
import { MEMBERS } from '../stock/club.ts'
import { FEW_APPLICATIONS, MANY_APPLICATIONS, rulesApplicationsPart } from './applications.ts'
import { rulesEmbeddedPart } from './embedded.ts'
import { rulesFilesPart } from './files.ts'
import { rulesReadPart } from './read.ts'
import { rulesStreamsPart } from './streams.ts'
import { rulesTokensPart } from './tokens.ts'
import { rulesWritePart } from './write.ts'

const PARTS = [
  rulesReadPart,
  rulesWritePart,
  rulesEmbeddedPart,
  rulesTokensPart,
  rulesFilesPart,
  rulesStreamsPart,
  rulesApplicationsPart,
]

export async function prepareRules(workspace: Workspace): Promise<void> {
  await workspace.build('club', [MEMBERS])
  await workspace.build('applications', [FEW_APPLICATIONS, MANY_APPLICATIONS])
}

export function rulesVariants(workspace: Workspace, settings: Settings): Variant[] {
  return PARTS.flatMap((part) => part.variants(workspace, settings))
}

export function rulesRows(samples: Samples, settings: Settings): Row[] {
  return PARTS.flatMap((part) => part.rows(samples, settings))
}

export function describeRules({ rounds, seconds, publishSeconds }: Settings): string {
  return `${rounds} rounds, ${seconds} s of load each, ${publishSeconds} s of publishing; 16 connections that read, 64 that write, a user each.`
}
