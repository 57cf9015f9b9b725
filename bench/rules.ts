/** The rules half: its parts in the order of their rows. */
import { MEMBERS } from './club.ts'
import type { Row } from './report.ts'
import type { Samples, Variant } from './rounds.ts'
import { FEW_APPLICATIONS, MANY_APPLICATIONS, rulesApplicationsPart } from './rules-applications.ts'
import { rulesEmbeddedPart } from './rules-embedded.ts'
import { rulesFilesPart } from './rules-files.ts'
import { rulesReadPart } from './rules-read.ts'
import { rulesStreamsPart } from './rules-streams.ts'
import { rulesTokensPart } from './rules-tokens.ts'
import { rulesWritePart } from './rules-write.ts'
import type { Settings } from './settings.ts'
import type { Workspace } from './workspace.ts'

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
