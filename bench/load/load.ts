/** The load generator: a process of its own that sends requests to servers, one after the other, and bills them. */
import autocannon, { type Client, type LoadResult, type Shot } from 'autocannon'
import { answer, requestOf } from '../harness/child.ts'
import { cpuMsSince, readCpu, untilQuiet } from '../harness/proc.ts'
import { spread } from '../harness/rounds.ts'
import { type Credential, shotsWith } from './credential.ts'
import { multiplex } from './multiplex.ts'
import { type OperationName, operations } from './operations.ts'

/** One operation on one server. */
export interface Load {
  readonly url: string
  /** The server's process. */
  readonly pid: number
  readonly operation: OperationName
  /** Leaves of the tree, children of the list, or messages. */
  readonly size: number
  /** What the requests of users show. Default: nothing. */
  readonly credential?: Credential | undefined
  /** Default: those of the operation. */
  readonly connections?: number | undefined
}

export interface LoadRequest {
  readonly loads: readonly Load[]
  /** Of each load: measured, in so many turns, and before that. */
  readonly seconds: number
  readonly turns: number
  readonly warmSeconds: number
}

export interface LoadFigures {
  readonly perSecond: number
  /** Processor time of the server for one request, all its threads, in microseconds. */
  readonly cpuUs: number
}

/** Sends for so many seconds. */
export type Generator = (seconds: number) => Promise<Answers>

export interface Answers {
  readonly succeeded: number
  /** Answered with an error of the client's. */
  readonly refused: number
  /** Anything else. */
  readonly failed: number
  readonly seconds: number
}

export const SAMPLE_MS = 50
/** Time after which a request without an answer counts as failed, in seconds: beside other programs a disk may take that long. */
const PATIENCE_S = 60

/** A load that is ready to be sent. */
export interface Prepared {
  readonly title: string
  /** The server's process. */
  readonly pid: number
  readonly generate: Generator
  /** Whether refusals are what it should get. */
  readonly refused: boolean
}

/** The loads take turns, so that a slow minute of the machine is a slow minute for all of them. */
export async function takeTurns(
  loads: readonly Prepared[],
  { seconds, turns, warmSeconds }: Pick<LoadRequest, 'seconds' | 'turns' | 'warmSeconds'>,
): Promise<LoadFigures[]> {
  if (warmSeconds > 0) for (const { generate } of loads) await generate(warmSeconds)
  const figures: LoadFigures[][] = loads.map(() => [])
  for (let turn = 0; turn < turns; turn++) {
    for (const [index, load] of loads.entries()) figures[index]?.push(await bill(load, seconds / turns))
  }
  return figures.map(middle)
}

async function bill({ title, pid, generate, refused }: Prepared, seconds: number): Promise<LoadFigures> {
  await untilQuiet(pid)
  const before = readCpu(pid)
  const answers = await untilAnswered(generate, seconds)
  await untilQuiet(pid)
  const cpuMs = cpuMsSince(pid, before)
  const wanted = refused ? answers.refused : answers.succeeded
  const others = answers.failed + (refused ? answers.succeeded : answers.refused)
  if (others > 0 || wanted === 0) throw new Error(`${title}: ${others} requests failed, ${wanted} did not`)
  return { perSecond: wanted / answers.seconds, cpuUs: (cpuMs * 1000) / wanted }
}

/** Sends for longer when nothing was answered in time: a disk can take longer than a short turn to keep one write. */
export async function untilAnswered(generate: Generator, seconds: number): Promise<Answers> {
  const answers = await generate(seconds)
  if (answers.succeeded + answers.refused + answers.failed > 0) return answers
  const later = await untilAnswered(generate, seconds * 2)
  return { ...later, seconds: answers.seconds + later.seconds }
}

function middle(turns: readonly LoadFigures[]): LoadFigures {
  return {
    perSecond: spread(turns.map(({ perSecond }) => perSecond)).median,
    cpuUs: spread(turns.map(({ cpuUs }) => cpuUs)).median,
  }
}

async function prepare(load: Load): Promise<Prepared> {
  const refused = operations[load.operation].errcode !== undefined
  return { title: load.operation, pid: load.pid, generate: await generatorOf(load), refused }
}

export async function generatorOf(load: Load): Promise<Generator> {
  const { url, operation, size } = load
  const { pipelining, shots, errcode, byUser, multiplexed } = operations[operation]
  const { connections = operations[operation].connections } = load
  const requests = shots(size, 0)
  if (errcode !== undefined) await checkRefusal(url + (requests[0]?.path ?? ''), errcode)
  if (multiplexed) return multiplex({ url, connections, streams: pipelining, paths: requests.map(({ path }) => path) })
  const users = byUser ? { setupClient: await prepareUsers(load) } : {}
  const options = { url, connections, pipelining, sampleInt: SAMPLE_MS, timeout: PATIENCE_S, requests, ...users }
  return async (duration) => answersOf(await autocannon({ ...options, duration }))
}

export function answersOf(result: LoadResult): Answers {
  const refused = result['4xx']
  const failed = result.non2xx - refused + result.errors
  return { succeeded: result['2xx'], refused, failed, seconds: result.duration }
}

/** Makes what each user sends. @returns gives a connection what one of them sends, in turns */
async function prepareUsers({ operation, size, credential }: Load): Promise<(client: Client) => void> {
  const { connections, shots } = operations[operation]
  const users: Shot[][] = []
  for (let user = 0; user < connections; user++) {
    const bare = shots(size, user)
    users.push(credential === undefined ? bare : await shotsWith(credential, user, bare))
  }
  let opened = 0
  return (client) => client.setRequests(users[opened++ % connections] ?? [])
}

/** @throws unless the server refuses the request with that error */
async function checkRefusal(url: string, errcode: number): Promise<void> {
  const response = await fetch(url, { tls: { rejectUnauthorized: false } })
  const body = await response.text()
  const refused = response.status === 400 && body.includes(`"errcode":${errcode},`)
  if (!refused) throw new Error(`${url}: ${response.status} ${body}`)
}

if (import.meta.main) {
  const { loads, ...times } = requestOf<LoadRequest>()
  answer(await takeTurns(await Promise.all(loads.map(prepare)), times))
}
