import { type Static, Type } from '@sinclair/typebox'
import type { Database } from '../database/database.ts'
import { DholeError } from '../error.ts'
import type { ExportCursor, ExportPage } from '../sms/model/message.ts'
import { PRIORITY } from '../tree/key.ts'
import { planPart } from '../tree/partial-write.ts'
import type { Path } from '../tree/path.ts'
import {
  addedApplication,
  listedApplication,
  rotation,
  serverProcess,
  serverState,
  shownKeys,
} from './administration.ts'
import {
  onApplication,
  type StreamOperation,
  streamOperation,
  type ValueOperation,
  valueOperation,
} from './operation.ts'
import { importedMessage, importMessages, importReply, PAGE_RECORDS } from './sms-import.ts'

const id = Type.String()
const path = Type.Unsafe<Path>(Type.Array(Type.String()))
/** No result: the reply says only that the operation ended. */
const nothing = Type.Unsafe<void>(Type.Unknown())
/** Properties of a tree that an import depends on. */
const treeFacts = Type.Object({
  /** Changes when the tree is restored; absent when the tree does not report it. */
  epoch: Type.Optional(Type.String()),
  /** Maximum length of a string leaf, in bytes. */
  maxLeafBytes: Type.Number(),
})
export type TreeFacts = Static<typeof treeFacts>

const UNLIMITED = { maxSeconds: Number.POSITIVE_INFINITY }
const cursor = Type.Unsafe<ExportCursor>(Type.Tuple([Type.Integer(), Type.Integer()]))

/**
 * Every operation on a server and its applications: input, result and handler. Transports carry these operations and
 * know nothing else about them; clients derive their types from this table.
 */
export const OPERATIONS = {
  // `Administration` checks the settings.
  add: valueOperation(
    Type.Object({ id, settings: Type.Unknown() }),
    addedApplication,
    ({ administration }, { id, settings }) => administration.add(id, settings),
  ),
  'check-rotation': valueOperation(Type.Object({ id, rotation }), nothing, ({ administration }, { id, rotation }) =>
    administration.checkRotation(id, rotation),
  ),
  rotate: valueOperation(Type.Object({ id, rotation }), Type.String(), ({ administration }, { id, rotation }) =>
    administration.rotate(id, rotation),
  ),
  remove: valueOperation(
    Type.Object({ id, deleteData: Type.Boolean() }),
    nothing,
    ({ administration }, { id, deleteData }) => administration.remove(id, deleteData),
  ),
  list: valueOperation(
    Type.Object({}),
    Type.Unsafe<readonly Static<typeof listedApplication>[]>(Type.Array(listedApplication)),
    ({ administration }) => administration.list(),
  ),
  keys: valueOperation(Type.Object({ id }), shownKeys, ({ administration }, { id }) => administration.keys(id)),
  state: valueOperation(Type.Object({}), serverState, ({ administration }) => administration.state()),
  settle: valueOperation(Type.Object({ id }), nothing, ({ administration }, { id }) => administration.settle(id)),
  'replace-tree': valueOperation(
    Type.Object({ id, stamp: Type.String({ pattern: '^[0-9TZ-]{1,40}$' }), keep: Type.Boolean() }),
    nothing,
    ({ administration }, { id, stamp, keep }) => administration.replaceTree(id, stamp, keep),
  ),
  reload: valueOperation(Type.Object({}), Type.String(), (target) => target.reload()),
  process: valueOperation(Type.Object({}), serverProcess, (target) => target.process()),
  'sms-import': onApplication(
    Type.Object({ id, page: Type.Array(importedMessage, { maxItems: PAGE_RECORDS }) }),
    importReply,
    ({ messages }, { page }) => importMessages(messages, page),
  ),
  'sms-export': onApplication(
    Type.Object({ id, after: Type.Optional(cursor), limit: Type.Integer({ minimum: 1, maximum: PAGE_RECORDS }) }),
    Type.Unsafe<ExportPage>(Type.Object({ records: Type.Array(Type.Object({})), next: Type.Optional(cursor) })),
    ({ messages }, { after, limit }) => messages.export(after, limit),
  ),
  'sms-counts': onApplication(
    Type.Object({ id }),
    Type.Record(Type.String(), Type.Integer()),
    async ({ messages }) => ({
      ...(await messages.counts()),
    }),
  ),
  'tree-facts': onApplication(Type.Object({ id }), treeFacts, ({ database }) => ({
    epoch: database.position().epoch,
    maxLeafBytes: database.limits.maxLeafBytes,
  })),
  // The tree checks the values, as for every request.
  'tree-put': onApplication(
    Type.Object({ id, path, json: Type.Unknown() }),
    nothing,
    async ({ database }, { path, json }) => {
      await database.put(path, json, UNLIMITED)
    },
  ),
  'tree-members': onApplication(
    Type.Object({ id, path, members: Type.Unsafe<Record<string, unknown>>(Type.Object({})) }),
    nothing,
    ({ database }, { path, members }) => database.writePlan(planPart(path, members, database.limits).plan),
  ),
  'tree-priority': onApplication(
    Type.Object({ id, path, priority: Type.Union([Type.String(), Type.Number(), Type.Null()]) }),
    nothing,
    ({ database }, { path, priority }) => putPriority(database, path, priority),
  ),
  'tree-export': streamOperation(Type.Object({ id, path }), async function* (target, { id, path }) {
    using application = await target.open(id)
    yield* application.database.export(path)
  }),
  'tree-rules': onApplication(Type.Object({ id }), Type.String(), async ({ database }) => {
    await database.fresh()
    return database.rules
  }),
  'tree-set-rules': onApplication(Type.Object({ id, source: Type.String() }), nothing, ({ database }, { source }) =>
    database.setRules(source),
  ),
} as const

type Operations = typeof OPERATIONS

/** Names of the operations that return one JSON value. */
export type ValueName = {
  [Name in keyof Operations]: Operations[Name] extends ValueOperation ? Name : never
}[keyof Operations]

/** Names of the operations that return text of any length. */
export type StreamName = Exclude<keyof Operations, ValueName>

export type InputOf<Name extends keyof Operations> = Static<Operations[Name]['input']>
export type ResultOf<Name extends ValueName> = Static<Operations[Name]['result']>

/** Does nothing when the node does not exist. */
async function putPriority(database: Database, path: Path, priority: string | number | null): Promise<void> {
  try {
    await database.put([...path, PRIORITY], priority, UNLIMITED)
  } catch (error) {
    if (!(error instanceof DholeError && error.code === 'priority-on-nothing')) throw error
  }
}

/** Finds an operation by a name from outside. @throws Error when it does not exist */
export function operationNamed(name: unknown): ValueOperation | StreamOperation {
  const table: Readonly<Record<string, ValueOperation | StreamOperation>> = OPERATIONS
  const found = typeof name === 'string' && Object.hasOwn(table, name) ? table[name] : undefined
  if (found === undefined) throw new Error(`the server has no operation ${JSON.stringify(name) ?? 'without a name'}`)
  return found
}
