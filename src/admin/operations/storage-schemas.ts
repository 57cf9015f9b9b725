import { type Static, Type } from '@sinclair/typebox'

/** An index over the children of one list. */
export const listedIndex = Type.Object({
  /** The list, as text: `/dinosaurs`. */
  path: Type.String(),
  /** Child path that it sorts by: `height`, `.value` for the value of each child, `.key` for integer keys as text. */
  child: Type.String(),
  /** Whether it holds the short texts of the children. */
  covering: Type.Boolean(),
  state: Type.Union([Type.Literal('ready'), Type.Literal('building')]),
  /** Whether rules or the host declare it. Others are dropped when no query has used them for some time. */
  declared: Type.Boolean(),
  /** Entries that its build has written; later writes are not counted. */
  entries: Type.Optional(Type.Number()),
  /** About when a query used it last, in milliseconds since 1970. */
  lastUsed: Type.Optional(Type.Number()),
})
export type ListedIndex = Static<typeof listedIndex>

/** A backup in the folder of backups. */
export const listedBackup = Type.Object({
  /** Name of its folder. */
  name: Type.String(),
  /** Start of the backup, ISO 8601. */
  madeAt: Type.String(),
  /** Number of its applications. */
  count: Type.Integer(),
  /** The first ones. */
  applications: Type.Array(
    Type.Object({
      id: Type.String(),
      /** Size of the tree; 0 without one. */
      bytes: Type.Number(),
    }),
  ),
})
export type ListedBackup = Static<typeof listedBackup>

const backupWork = Type.Union([Type.Literal('backup'), Type.Literal('restore')])

/** The last backup or restore that has ended. */
const endedBackup = Type.Object({
  work: backupWork,
  /** Name of the backup. */
  name: Type.String(),
  /** When it ended, in milliseconds since 1970. */
  at: Type.Number(),
  /** Why it failed; absent for a success. */
  error: Type.Optional(Type.String()),
})

export const backupState = Type.Object({
  /** What is under way; absent when nothing is. */
  running: Type.Optional(
    Type.Object({
      work: backupWork,
      name: Type.String(),
      /** Application that is being copied. */
      id: Type.Optional(Type.String()),
    }),
  ),
  /** Copied bytes of what is under way, or 0. */
  done: Type.Number(),
  /** About how many bytes that are in all, or 0. */
  total: Type.Number(),
  /** Since the start of the process. */
  last: Type.Optional(endedBackup),
})
export type BackupState = Static<typeof backupState>

/** Rules that were in force. */
export const rulesVersion = Type.Object({
  /** When they were stored, in milliseconds since 1970; of those that were never stored, when others replaced them. */
  at: Type.Number(),
  source: Type.String(),
  /**
   * How: `REST` with the `uid` of its token if there is one, `operator`, `application`, `host`, `settings`, or `unknown`
   * for those that an earlier version of the program stored.
   */
  by: Type.String(),
})
export type RulesVersion = Static<typeof rulesVersion>
