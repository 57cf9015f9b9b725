import { type Static, Type } from '@sinclair/typebox'

/** One result of `dhole doctor`. */
export const reportedCheck = Type.Object({
  /** A `problem` breaks a promise of the service, now or soon; what `warn` names can wait. */
  level: Type.Union([Type.Literal('ok'), Type.Literal('warn'), Type.Literal('problem')]),
  /** Subject, such as `tree "app"`. */
  title: Type.String(),
  detail: Type.Optional(Type.String()),
  /** Remedy; absent for `ok`. */
  fix: Type.Optional(Type.String()),
})
export type ReportedCheck = Static<typeof reportedCheck>
