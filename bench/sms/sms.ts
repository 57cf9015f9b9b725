/** The half about text messages: its parts in the order of their rows. */

import type { Samples, Variant } from '../harness/rounds.ts'
import type { Settings } from '../harness/settings.ts'
import type { Workspace } from '../harness/workspace.ts'
import type { Row } from '../report/table.ts'
import { smsBatchPart } from './batch.ts'
import { smsGrowthPart } from './growth.ts'
import { handoverStock, smsHandoverPart } from './handover.ts'
import { reportStock, smsReportPart } from './report.ts'

const PARTS = [smsBatchPart, smsHandoverPart, smsReportPart, smsGrowthPart]

export async function prepareSms(workspace: Workspace, settings: Settings): Promise<void> {
  await workspace.build('messages', settings.messages)
  await workspace.build('waiting', [handoverStock(settings.handovers)])
  await workspace.build('unreported', [reportStock(settings)])
}

export function smsVariants(workspace: Workspace, settings: Settings): Variant[] {
  return PARTS.flatMap((part) => part.variants(workspace, settings))
}

export function smsRows(samples: Samples, settings: Settings): Row[] {
  return PARTS.flatMap((part) => part.rows(samples, settings))
}

export function describeSms({ rounds, seconds, handovers, reports }: Settings): string {
  return `${rounds} rounds, ${seconds} s of load each, 16 connections that ask for batches; ${handovers} batch queries; ${reports} reports.`
}
