import type { Answer, CallOptions, HttpsServer } from '../../../support/https-server.ts'

/** A server that a client speaks to. */
export type Server = Pick<HttpsServer, 'call' | 'port' | 'ca'>

/** Longest wait for an answer, in milliseconds: a process that is stopped does not give one. */
const PATIENCE_MS = 6000

/** Sends a request to a process. @param patienceMs longest wait @returns `undefined` when no answer has come */
export async function ask(
  server: Server,
  method: string,
  target: string,
  options: CallOptions = {},
  patienceMs = PATIENCE_MS,
): Promise<Answer | undefined> {
  const call = server.call(method, target, options).catch(() => undefined)
  const late = Promise.withResolvers<undefined>()
  const timer = setTimeout(late.resolve, patienceMs)
  const answer = await Promise.race([call, late.promise])
  clearTimeout(timer)
  return answer
}
