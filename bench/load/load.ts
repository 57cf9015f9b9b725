/** The load generator: a process of its own that sends one operation to one server and bills the server for it. */
import autocannon, { type Client, type Shot } from 'autocannon'
import { answer, requestOf } from '../harness/child.ts'
import { processCpuMs, untilQuiet } from '../harness/proc.ts'
import { type Credential, shotsWith } from './credential.ts'
import { type OperationName, operations } from './operations.ts'

export interface LoadRequest {
  readonly url: string
  /** The server's process. */
  readonly pid: number
  readonly operation: OperationName
  readonly leaves: number
  /** What the requests of users show. Default: nothing. */
  readonly credential?: Credential | undefined
  readonly seconds: number
  readonly warmSeconds: number
}

export interface LoadFigures {
  readonly perSecond: number
  /** Processor time of the server for one request, all its threads, in microseconds. */
  readonly cpuUs: number
}

const SAMPLE_MS = 50

async function runLoad(request: LoadRequest): Promise<LoadFigures> {
  const { url, pid } = request
  const { connections, pipelining, shots, errcode, byUser } = operations[request.operation]
  const requests = shots(request.leaves, 0)
  if (errcode !== undefined) await checkRefusal(url + (requests[0]?.path ?? ''), errcode)
  const users = byUser ? { setupClient: await prepareUsers(request) } : {}
  const options = { url, connections, pipelining, sampleInt: SAMPLE_MS, requests, ...users }
  await autocannon({ ...options, duration: request.warmSeconds })
  await untilQuiet(pid)
  const before = processCpuMs(pid)
  const result = await autocannon({ ...options, duration: request.seconds })
  await untilQuiet(pid)
  const cpuMs = processCpuMs(pid) - before
  const answered = errcode === undefined ? result['2xx'] : result['4xx']
  const failed = result['2xx'] + result.non2xx - answered + result.errors
  if (failed > 0) throw new Error(`${request.operation}: ${failed} requests failed`)
  return { perSecond: answered / result.duration, cpuUs: (cpuMs * 1000) / answered }
}

/** Makes what each user sends. @returns gives a connection what one of them sends, in turns */
async function prepareUsers({ operation, leaves, credential }: LoadRequest): Promise<(client: Client) => void> {
  const { connections, shots } = operations[operation]
  const users: Shot[][] = []
  for (let user = 0; user < connections; user++) {
    const bare = shots(leaves, user)
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

if (import.meta.main) answer(await runLoad(requestOf<LoadRequest>()))
