/** What the load generator sends, operation by operation. */
import type { Shot } from 'autocannon'
import { COPY_PATH, draftPaths, LARGE_PATH, largeList, leafPaths, OBJECT_PATH, objectOf1Kb, urlOf } from './fixtures.ts'

/** Places that small requests are spread over. */
const PLACES = 512

interface HttpOperation {
  readonly connections: number
  /** Requests under way on one connection. */
  readonly pipelining: number
  /** @param leaves size of the tree */
  shots(leaves: number): Shot[]
}

export type OperationName = 'getLeaf' | 'getObject' | 'getLarge' | 'putLeaf' | 'putObject' | 'putLarge'

export const operations: Readonly<Record<OperationName, HttpOperation>> = {
  getLeaf: {
    connections: 16,
    pipelining: 1,
    shots: (leaves) => leafPaths(leaves, PLACES).map((path) => get(path)),
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
}

function get(path: readonly string[]): Shot {
  return { method: 'GET', path: urlOf(path) }
}

function put(path: readonly string[], value: unknown): Shot {
  return { method: 'PUT', path: urlOf(path), body: JSON.stringify(value) }
}
