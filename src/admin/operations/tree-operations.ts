import { type Static, Type } from '@sinclair/typebox'
import type { Database } from '../../database/database.ts'
import { DholeError } from '../../error.ts'
import { PRIORITY } from '../../tree/key.ts'
import { planPart } from '../../tree/partial-write.ts'
import type { Path } from '../../tree/path.ts'
import { onApplication, streamOperation, valueOperation } from '../operation.ts'
import { id, nothing } from './nothing.ts'

const path = Type.Unsafe<Path>(Type.Array(Type.String()))
/** Properties of a tree that an import depends on. */
const treeFacts = Type.Object({
  /** Changes when the tree is restored; absent when the tree does not report it. */
  epoch: Type.Optional(Type.String()),
  /** Maximum length of a string leaf, in bytes. */
  maxLeafBytes: Type.Number(),
})
export type TreeFacts = Static<typeof treeFacts>

const UNLIMITED = { maxSeconds: Number.POSITIVE_INFINITY }

/** Operations on a whole tree. The console reads and writes nodes by the REST API. */
export const TREE_OPERATIONS = {
  'tree-facts': onApplication(
    {
      access: 'application',
      summary: 'The epoch of a tree, which changes when it is restored, and the longest string it takes.',
      input: Type.Object({ id }),
      result: treeFacts,
    },
    ({ database }) => ({ epoch: database.position().epoch, maxLeafBytes: database.limits.maxLeafBytes }),
  ),
  'tree-export': streamOperation(
    {
      access: 'application',
      summary: 'The node at a path with everything below it, as `format=export` prints it.',
      input: Type.Object({ id, path }),
    },
    async function* (target, { id, path }) {
      using application = await target.open(id)
      yield* application.database.export(path)
    },
  ),
  // The tree checks the values, as for every request.
  'tree-put': onApplication(
    {
      access: 'local',
      summary: 'Replaces a node.',
      input: Type.Object({ id, path, json: Type.Unknown() }),
      result: nothing,
    },
    async ({ database }, { path, json }) => {
      await database.put(path, json, UNLIMITED)
    },
  ),
  'tree-members': onApplication(
    {
      access: 'local',
      summary: 'Writes children of a node.',
      input: Type.Object({ id, path, members: Type.Unsafe<Record<string, unknown>>(Type.Object({})) }),
      result: nothing,
    },
    ({ database }, { path, members }) => database.writePlan(planPart(path, members, database.limits).plan),
  ),
  'tree-priority': onApplication(
    {
      access: 'local',
      summary: 'Sets the priority of a node.',
      input: Type.Object({ id, path, priority: Type.Union([Type.String(), Type.Number(), Type.Null()]) }),
      result: nothing,
    },
    ({ database }, { path, priority }) => putPriority(database, path, priority),
  ),
  settle: valueOperation(
    {
      access: 'local',
      summary: 'Waits until every commit to a tree is durable.',
      input: Type.Object({ id }),
      result: nothing,
    },
    ({ administration }, { id }) => administration.settle(id),
  ),
  'replace-tree': valueOperation(
    {
      access: 'local',
      summary: 'Replaces a tree by the file that lies ready beside it.',
      input: Type.Object({ id, stamp: Type.String({ pattern: '^[0-9TZ-]{1,40}$' }), keep: Type.Boolean() }),
      result: nothing,
    },
    ({ administration }, { id, stamp, keep }) => administration.replaceTree(id, stamp, keep),
  ),
} as const

/** Does nothing when the node does not exist. */
async function putPriority(database: Database, path: Path, priority: string | number | null): Promise<void> {
  try {
    await database.put([...path, PRIORITY], priority, UNLIMITED)
  } catch (error) {
    if (!(error instanceof DholeError && error.code === 'priority-on-nothing')) throw error
  }
}
