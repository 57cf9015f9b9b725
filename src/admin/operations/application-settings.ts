import { type Static, Type } from '@sinclair/typebox'
import type { AdministeredApplication } from '../operation.ts'
import { type OwnSettings, ownSettings } from '../settings-change.ts'

const count = Type.Integer()

/** What is in force of the settings of an application. */
export const applicationSettings = Type.Object({
  id: Type.String(),
  /** Query dialect. */
  profile: Type.Union([Type.Literal('wilddog'), Type.Literal('firebase')]),
  indexPolicy: Type.Union([Type.Literal('allow'), Type.Literal('require')]),
  /** Whether rules were stored. */
  hasOwnRules: Type.Boolean(),
  /** Default size limit of writes, `tiny` to `unlimited`. */
  writeSizeLimit: Type.String(),
  /** Limits of one request, in bytes and milliseconds. */
  limits: Type.Object({
    maxLeafBytes: count,
    maxWriteBytes: count,
    maxReadBytes: count,
    maxReadMs: count,
    /** For the estimate that `writeSizeLimit` compares with, in nodes. */
    writeNodesPerSecond: count,
  }),
  messages: Type.Object({
    timeZone: Type.String(),
    mobile: Type.String(),
    retentionDays: count,
    intervalMs: count,
  }),
  /** What is set for this application, and where. */
  own: ownSettings,
})

/** The settings in force, as of the last durable commit. */
export async function settingsInForce(
  { database, messages }: AdministeredApplication,
  id: string,
  own: OwnSettings,
): Promise<Static<typeof applicationSettings>> {
  await database.fresh()
  const { maxLeafBytes, maxWriteBytes, maxReadBytes, maxReadMs, writeNodesPerSecond } = database.limits
  return {
    id,
    profile: database.profile,
    indexPolicy: database.administration.indexPolicy,
    hasOwnRules: database.hasOwnRules,
    writeSizeLimit: database.writeSizeLimit,
    limits: { maxLeafBytes, maxWriteBytes, maxReadBytes, maxReadMs, writeNodesPerSecond },
    messages: messages.settings,
    own,
  }
}
