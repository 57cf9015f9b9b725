import type { Answer, CallOptions, HttpsServer } from '../../../support/https-server.ts'

/** A server that a client speaks to. */
export type Server = Pick<HttpsServer, 'call' | 'port' | 'ca'>

/** Longest wait for an answer, in milliseconds: a process that is stopped does not give one. */
const PATIENCE_MS = 6000

/**
 * Sends a request to a process.
 * @param patienceMs longest wait
 * @param onLate gets an answer that comes after it
 * @returns `undefined` when no answer has come
 */
export async function ask(
  server: Server,
  method: string,
  target: string,
  options: CallOptions = {},
  patienceMs = PATIENCE_MS,
  onLate: (answer: Answer) => void = () => {},
): Promise<Answer | undefined> {
  let isLate = false
  const call = server.call(method, target, options).then(
    (answer) => {
      if (isLate) onLate(answer)
      return answer
    },
    () => undefined,
  )
  const late = Promise.withResolvers<undefined>()
  const timer = setTimeout(() => {
    isLate = true
    late.resolve(undefined)
  }, patienceMs)
  const answer = await Promise.race([call, late.promise])
  clearTimeout(timer)
  return answer
}
