/** How large and how long a run is. */
import type { SliceOptions } from './slices.ts'

export interface Settings extends SliceOptions {
  /** Whether only the parts of a quick run are measured. */
  readonly quick: boolean
  /** Leaves of the trees, smallest first. */
  readonly sizes: readonly number[]
  /** Children of the lists, shortest first. */
  readonly listSizes: readonly number[]
  /** Children of the list that is asked over HTTPS. */
  readonly listChildren: number
  /** Children of the lists that AceBase is asked about, each one of `listSizes`. */
  readonly acebaseSizes: readonly number[]
  readonly rounds: number
  /** Length of one measured load, the turns it comes in, and length of the load before it that is not counted. */
  readonly seconds: number
  readonly turns: number
  readonly warmSeconds: number
  /** Single requests watched one by one, each round. */
  readonly repeats: number
  /** Length of one measured stretch of publishing to streams. */
  readonly publishSeconds: number
  /** Streams of one node, streams on which nothing happens, and subscribers of other nodes in the same process. */
  readonly subscribers: number
  readonly idleSubscribers: number
  readonly otherSubscribers: number
  /** Leaves of the tree that is read from in every way, to see how much memory that takes. */
  readonly memoryLeaves: number
  /** Length of the file that a server is started on, and how often. */
  readonly archiveBytes: number
  readonly starts: number
  /** The mix: leaves of its tree and children of its list, streams open, clients step by step, length of one step. */
  readonly mixedSize: number
  readonly mixedStreams: number
  readonly mixedClients: readonly number[]
  readonly stepSeconds: number
  /** Leaves, children and subscribers that growth is measured against, smallest first. */
  readonly growthSizes: readonly number[]
  readonly growthSubscribers: readonly number[]
  /** Text messages stored: few, more than the answers about which are kept in memory, and many. */
  readonly messages: readonly [few: number, some: number, many: number]
  /** Batch queries of text messages, one after the other. */
  readonly handovers: number
  /** Reports about text messages in one measured load, and in the load before it that is not counted. */
  readonly reports: number
  readonly warmReports: number
  /** Sockets that are open at once, and clients that come back after a restart. */
  readonly manySockets: number
  readonly returning: number
  /** Sockets that listen to the same, and writes a second that they are told of. */
  readonly listens: number
  readonly pace: number
  /** Contended transactions of each client. */
  readonly transactions: number
  /** Writes that one socket is sent at once. */
  readonly burst: number
}

export const FULL: Settings = {
  quick: false,
  sizes: [10_000, 1_000_000],
  listSizes: [10_000, 100_000, 1_000_000],
  listChildren: 100_000,
  acebaseSizes: [10_000],
  rounds: 2,
  seconds: 2,
  turns: 4,
  warmSeconds: 1.5,
  sliceMs: 120,
  slices: 5,
  repeats: 2,
  publishSeconds: 2,
  subscribers: 1000,
  idleSubscribers: 4000,
  otherSubscribers: 10_000,
  memoryLeaves: 1_000_000,
  archiveBytes: 1_000_000_000,
  starts: 5,
  mixedSize: 100_000,
  mixedStreams: 200,
  mixedClients: [1, 2, 4, 8, 12, 16, 32, 64, 128, 256, 512],
  stepSeconds: 2,
  growthSizes: [1000, 10_000, 100_000, 1_000_000],
  growthSubscribers: [1, 10, 100, 1000, 5000],
  messages: [10_000, 100_000, 10_000_000],
  handovers: 20,
  reports: 120_000,
  warmReports: 40_000,
  manySockets: 20_000,
  returning: 10_000,
  listens: 100,
  pace: 1000,
  transactions: 200,
  burst: 1000,
}

/** Of everything as little as works: whether it works is all that can be seen. */
export const TINY: Settings = {
  quick: true,
  sizes: [1000],
  listSizes: [],
  listChildren: 1000,
  acebaseSizes: [],
  rounds: 1,
  seconds: 0.1,
  turns: 1,
  warmSeconds: 0.05,
  sliceMs: 2,
  slices: 1,
  repeats: 1,
  publishSeconds: 0.05,
  subscribers: 20,
  idleSubscribers: 20,
  otherSubscribers: 20,
  memoryLeaves: 1000,
  archiveBytes: 1_000_000,
  starts: 1,
  mixedSize: 1000,
  mixedStreams: 20,
  mixedClients: [1, 2],
  stepSeconds: 0.05,
  growthSizes: [],
  growthSubscribers: [],
  messages: [1000, 1000, 1000],
  handovers: 1,
  reports: 2000,
  warmReports: 1000,
  manySockets: 20,
  returning: 20,
  listens: 10,
  pace: 100,
  transactions: 2,
  burst: 20,
}

export const QUICK: Settings = {
  quick: true,
  sizes: [10_000],
  listSizes: [],
  listChildren: 10_000,
  acebaseSizes: [],
  rounds: 1,
  seconds: 0.5,
  turns: 2,
  warmSeconds: 0.6,
  sliceMs: 30,
  slices: 3,
  repeats: 1,
  publishSeconds: 0.4,
  subscribers: 400,
  idleSubscribers: 2000,
  otherSubscribers: 10_000,
  memoryLeaves: 10_000,
  archiveBytes: 20_000_000,
  starts: 3,
  mixedSize: 10_000,
  mixedStreams: 200,
  mixedClients: [1, 16, 64],
  stepSeconds: 0.3,
  growthSizes: [],
  growthSubscribers: [],
  messages: [10_000, 100_000, 100_000],
  handovers: 3,
  reports: 10_000,
  warmReports: 5_000,
  manySockets: 2000,
  returning: 1000,
  listens: 100,
  pace: 200,
  transactions: 20,
  burst: 200,
}
