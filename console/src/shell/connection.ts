import { signal } from '@preact/signals'
import { CallError } from './call-error.ts'

/** Whether the last request reached the server. */
export const isReachable = signal(true)

/**
 * `fetch` that keeps `isReachable` true to the facts.
 * @throws CallError with status 0 when the server was not reached; an abort of the caller stays what it is
 */
export async function send(url: URL, init: RequestInit): Promise<Response> {
  try {
    const reply = await fetch(url, init)
    isReachable.value = true
    return reply
  } catch (thrown) {
    if (init.signal?.aborted === true) throw thrown
    isReachable.value = false
    throw new CallError(0, 'The server cannot be reached.')
  }
}
