import { Type } from '@sinclair/typebox'
import { type AdminCaller, ofServer, valueOperation } from '../operation.ts'
import { MAX_LISTED, metricsHour, openConnections, openStreams, recentRequest, requestKind } from './monitor-schemas.ts'

/** Longest number of a stream or a connection, in digits. */
const LISTED_ID = Type.String({ pattern: '^[0-9]{1,16}$' })
const application = Type.Optional(Type.String())

/** Operations that show what a server does. */
export const MONITOR_OPERATIONS = {
  'metrics-hour': valueOperation(
    {
      access: 'operator',
      summary: 'Requests, times, writes, streams and memory of the last hour, in steps of 10 seconds.',
      input: Type.Object({}),
      result: metricsHour,
    },
    (target) => ofServer(target.monitor).hour(),
  ),
  'requests-recent': valueOperation(
    {
      access: 'any',
      summary: 'The last 200 requests, slow requests or refused requests, newest first. Of a flood a part is kept.',
      input: Type.Object({ kind: requestKind, application }),
      result: Type.Array(recentRequest),
    },
    (target, { kind, application }, caller) => ofServer(target.monitor).requests(kind, ownOf(caller, application)),
  ),
  streams: valueOperation(
    {
      access: 'any',
      summary: 'The event streams that are open, at most 1000, the ones opened first.',
      input: Type.Object({ application }),
      result: openStreams,
    },
    (target, { application }, caller) => ofServer(target.streams).list(ownOf(caller, application), MAX_LISTED),
  ),
  'stream-end': valueOperation(
    {
      access: 'any',
      summary: 'Ends a stream. Its client is told so, and may connect again.',
      input: Type.Object({ id: LISTED_ID }),
      changes: true,
      result: Type.Object({ ended: Type.Boolean() }),
    },
    (target, { id }, caller) => ({ ended: ofServer(target.streams).end(id, ownOf(caller, undefined)) }),
  ),
  connections: valueOperation(
    {
      access: 'any',
      summary: 'The connections of SDKs that are open, at most 1000, the ones opened first.',
      input: Type.Object({ application }),
      result: openConnections,
    },
    (target, { application }, caller) => ofServer(target.connections).list(ownOf(caller, application), MAX_LISTED),
  ),
  'connection-end': valueOperation(
    {
      access: 'any',
      summary: 'Ends a connection of an SDK. Its client may connect again.',
      input: Type.Object({ id: LISTED_ID }),
      changes: true,
      result: Type.Object({ ended: Type.Boolean() }),
    },
    (target, { id }, caller) => ({ ended: ofServer(target.connections).end(id, ownOf(caller, undefined)) }),
  ),
} as const

/** The application that a caller may look at: who holds the super secret of one sees no other. */
function ownOf(caller: AdminCaller, application: string | undefined): string | undefined {
  return caller.role === 'application' ? caller.application : application
}
