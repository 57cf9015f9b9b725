import { type Static, Type } from '@sinclair/typebox'
import { serverProcess } from '../administration.ts'
import { ofServer, valueOperation } from '../operation.ts'
import { reportedCheck } from '../ports/reported-check.ts'

/** Operations on the server itself. */
export const SERVER_OPERATIONS = {
  process: valueOperation(
    {
      access: 'operator',
      summary: 'Process id and address of the server.',
      input: Type.Object({}),
      result: serverProcess,
    },
    (target) => target.process(),
  ),
  reload: valueOperation(
    {
      access: 'operator',
      changes: true,
      summary: 'Reads the certificate again, and answers the outcome.',
      input: Type.Object({}),
      result: Type.String(),
    },
    (target) => target.reload(),
  ),
  doctor: valueOperation(
    {
      access: 'operator',
      summary: 'What `dhole doctor` finds. It looks on another thread; calls at the same time share one look.',
      input: Type.Object({}),
      result: Type.Unsafe<readonly Static<typeof reportedCheck>[]>(Type.Array(reportedCheck)),
    },
    (target) => ofServer(target.server).doctor(),
  ),
  'rotate-operator-secret': valueOperation(
    {
      access: 'local',
      summary: 'Replaces the secret of the operator, and answers the new one. Its sessions end.',
      input: Type.Object({}),
      result: Type.String(),
    },
    (target) => ofServer(target.server).rotateOperatorSecret(),
  ),
} as const
