/** The chapter about text messages. */
import type { Chapter } from '../harness/part.ts'
import { smsBatchPart } from './batch.ts'
import { smsGrowthPart } from './growth.ts'
import { smsHandoverPart } from './handover.ts'
import { smsReportPart } from './report.ts'

export const smsChapter: Chapter = {
  title: 'Text messages',
  counted: 'messages',
  parts: [smsBatchPart, smsHandoverPart, smsReportPart, smsGrowthPart],
  describe: ({ rounds, seconds, handovers, reports }) =>
    `${rounds} rounds, ${seconds} s of load each, 16 connections that ask for batches; ${handovers} batch queries; ${reports} reports.`,
}
