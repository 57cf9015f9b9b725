import type { InputOf, ResultOf, StreamName, ValueName } from '../../../src/admin/operations.ts'
import { errorOf } from './call-error.ts'
import { send } from './connection.ts'
import { serverUrl } from './server-paths.ts'
import { session } from './session.ts'

/**
 * Runs an operation on the server.
 * @returns its result
 * @throws CallError the server's words and status; 401 ends the session in this page
 */
export async function call<Name extends ValueName>(
  name: Name,
  input: InputOf<Name>,
  signal?: AbortSignal,
): Promise<ResultOf<Name>> {
  const reply = await post(name, input, signal)
  const { result } = (await reply.json()) as { readonly result: ResultOf<Name> }
  return result
}

/** Runs an operation that streams text. @throws CallError as `call` */
export async function callStream<Name extends StreamName>(
  name: Name,
  input: InputOf<Name>,
  signal?: AbortSignal,
): Promise<ReadableStream<Uint8Array>> {
  const reply = await post(name, input, signal)
  return reply.body ?? new Blob([]).stream()
}

async function post(name: string, input: unknown, signal: AbortSignal | undefined): Promise<Response> {
  const reply = await send(serverUrl(`/.admin/operations/${name}`), {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-CSRF-Token': session.value?.csrf ?? '' },
    body: JSON.stringify(input),
    signal: signal ?? null,
  })
  if (reply.ok) return reply
  if (reply.status === 401) session.value = null
  throw await errorOf(reply)
}
