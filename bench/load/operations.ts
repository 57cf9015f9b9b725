/** What the load generator sends, operation by operation. */
import type { Shot } from 'autocannon'
import type { QuerySpec } from '../../src/query/query.ts'
import type { Settings } from '../harness/settings.ts'
import {
  COPY_PATH,
  draftPaths,
  LARGE_PATH,
  largeList,
  leafPaths,
  OBJECT_PATH,
  objectOf1Kb,
  urlOf,
} from '../stock/blogs.ts'
import { cardPath, draftPathsOf, draftTexts, notePaths } from '../stock/club.ts'
import { BATCH, rridOf, scatteredBatches } from '../stock/messages.ts'
import { PLACES_PATH } from '../stock/places.ts'
import { queryTarget, questions, SPOTS, spotOf } from '../stock/questions.ts'
import { batchCall } from './sms-calls.ts'

/** Places that small requests are spread over. */
const PLACES = 512
/** Places enough that their texts do not all stay in the cache. */
const MANY_PLACES = 20_000

interface HttpOperation {
  readonly connections: number
  /** Requests under way on one connection. */
  readonly pipelining: number
  /** Whether those share the connection as streams of HTTP/2. Default: HTTP/1.1, one behind the other. */
  readonly multiplexed?: true
  /** The error that has to be the answer to all of them. */
  readonly errcode?: number
  /** Whether each connection is a user with places of its own. Default: all of them send the same. */
  readonly byUser?: true
  /**
   * What one connection sends.
   * @param size leaves of the tree, children of the list, or messages
   * @param user number of the connection
   */
  shots(size: number, user: number): Shot[]
}

export type OperationName =
  | 'getLeaf'
  | 'getLeafWide'
  | 'getLeafMultiplexed'
  | 'getManyLeaves'
  | 'getObject'
  | 'getLarge'
  | 'putLeaf'
  | 'putObject'
  | 'putLarge'
  | 'queryFirst'
  | 'queryFrom'
  | 'queryMalformed'
  | 'queryUnindexed'
  | 'getNote'
  | 'getCard'
  | 'putDraft'
  | 'smsPoll'
  | 'smsBatches'
  | 'smsMoving'
  | 'smsHandover'

export const operations: Readonly<Record<OperationName, HttpOperation>> = {
  getLeaf: {
    connections: 16,
    pipelining: 1,
    shots: (leaves) => leafPaths(leaves, PLACES).map((path) => get(path)),
  },
  getLeafWide: {
    connections: 64,
    pipelining: 1,
    shots: (leaves) => leafPaths(leaves, PLACES).map((path) => get(path)),
  },
  getLeafMultiplexed: {
    connections: 4,
    pipelining: 32,
    multiplexed: true,
    shots: (leaves) => leafPaths(leaves, PLACES).map((path) => get(path)),
  },
  getManyLeaves: {
    connections: 16,
    pipelining: 1,
    shots: (leaves) => leafPaths(leaves, MANY_PLACES).map((path) => get(path)),
  },
  getObject: { connections: 16, pipelining: 1, shots: () => [get(OBJECT_PATH)] },
  getLarge: { connections: 2, pipelining: 1, shots: () => [get(LARGE_PATH)] },
  // Each place is written twice a cycle with another value, so that no write finds what it brings.
  putLeaf: {
    connections: 64,
    pipelining: 1,
    shots: (leaves) => [0, 1].flatMap((turn) => leafPaths(leaves, PLACES).map((path) => put(path, `title ${turn}`))),
  },
  putObject: {
    connections: 64,
    pipelining: 1,
    shots: () => [0, 1].flatMap((turn) => draftPaths(PLACES).map((path) => put(path, objectOf1Kb(turn)))),
  },
  putLarge: { connections: 1, pipelining: 1, shots: () => [0, 1].map((turn) => put(COPY_PATH, largeList(turn))) },
  queryFirst: { connections: 16, pipelining: 1, shots: () => [query(questions.first.spec())] },
  queryFrom: {
    connections: 16,
    pipelining: 1,
    shots: (size) => Array.from({ length: SPOTS }, (_, index) => query(questions.from.spec(spotOf(index), size))),
  },
  queryMalformed: {
    connections: 16,
    pipelining: 1,
    errcode: 20301,
    shots: () => [{ method: 'GET', path: `${urlOf(PLACES_PATH)}?orderBy=height&limitToFirst=20` }],
  },
  queryUnindexed: {
    connections: 16,
    pipelining: 1,
    errcode: 20309,
    shots: () => [query({ orderBy: 'lat', limitToFirst: 20 })],
  },
  getNote: { connections: 16, pipelining: 1, byUser: true, shots: (_, user) => notePaths(user).map(get) },
  getCard: { connections: 16, pipelining: 1, byUser: true, shots: (_, user) => [get(cardPath(user))] },
  putDraft: {
    connections: 64,
    pipelining: 1,
    byUser: true,
    shots: (_, user) => draftPathsOf(user).map((path) => revise(path, user)),
  },
  smsPoll: { connections: 16, pipelining: 1, shots: (messages) => status([Math.floor(messages / BATCH / 2)]) },
  smsBatches: { connections: 16, pipelining: 1, shots: (messages) => status(scatteredBatches(messages, false)) },
  smsMoving: { connections: 16, pipelining: 1, shots: (messages) => status(scatteredBatches(messages, true)) },
  // Of the limit alone: the text that a batch query answers.
  smsHandover: { connections: 1, pipelining: 1, shots: () => [{ method: 'GET', path: '/' }] },
}

function get(path: readonly string[]): Shot {
  return { method: 'GET', path: urlOf(path) }
}

function put(path: readonly string[], value: unknown): Shot {
  return { method: 'PUT', path: urlOf(path), body: JSON.stringify(value) }
}

/** Rules want every revision to be later than the one before, so each is made when it is sent. */
function revise(path: readonly string[], user: number): Shot {
  const text = draftTexts(user)
  return { method: 'PUT', path: urlOf(path), setupRequest: (request) => ({ ...request, body: text() }) }
}

/** Asks for one batch after the other, over and over, by calls signed beforehand. */
function status(batches: readonly number[]): Shot[] {
  const targets = batches.map((batch) => batchCall(rridOf(batch)).target)
  let sent = 0
  const next = () => targets[sent++ % targets.length] ?? ''
  return [{ method: 'GET', path: next(), setupRequest: (request) => ({ ...request, path: next() }) }]
}

function query(spec: QuerySpec): Shot {
  return { method: 'GET', path: queryTarget(spec) }
}

/** What stands above a table of loads. */
export function describeLoads({ rounds, seconds, turns }: Settings, names: readonly OperationName[]): string {
  const loads = names.map((name) => {
    const { connections, pipelining, multiplexed } = operations[name]
    return `${name} ${connections} x ${pipelining}${multiplexed ? ' (HTTP/2)' : ''}`
  })
  return `${rounds} rounds, ${seconds} s of each load in ${turns} turns; connections x requests under way on each: ${loads.join(', ')}.`
}
