import { type Static, Type } from '@sinclair/typebox'
import { serverProcess } from '../administration.ts'
import { finding } from '../findings.ts'
import { portsOf, valueOperation } from '../operation.ts'

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
      summary: 'What `dhole doctor` finds. It runs in a process of its own; calls at the same time share one run.',
      input: Type.Object({}),
      result: Type.Unsafe<readonly Static<typeof finding>[]>(Type.Array(finding)),
    },
    (target) => portsOf(target).doctor(),
  ),
  'rotate-operator-secret': valueOperation(
    {
      access: 'local',
      summary: 'Replaces the secret of the operator, and answers the new one. Its sessions end.',
      input: Type.Object({}),
      result: Type.String(),
    },
    (target) => portsOf(target).rotateOperatorSecret(),
  ),
} as const
