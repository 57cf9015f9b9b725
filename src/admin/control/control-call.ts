import type { Command, CommandReply } from './command.ts'

/** @throws Error with what the server has thrown */
export async function call(path: string, command: Command, signal?: AbortSignal): Promise<unknown> {
  return callWithText(path, JSON.stringify(command), signal)
}

/** As `call`. @param command JSON text of one */
export async function callWithText(
  path: string,
  command: string | Uint8Array<ArrayBuffer>,
  signal?: AbortSignal,
): Promise<unknown> {
  const reply = await post(path, command, signal)
  const answer = (await reply.json()) as CommandReply
  if ('error' in answer) throw new Error(answer.error)
  return answer.result
}

/** The answer to a command as it is sent. */
export function post(path: string, command: string | Uint8Array<ArrayBuffer>, signal?: AbortSignal): Promise<Response> {
  return fetch('http://localhost/', {
    unix: path,
    method: 'POST',
    body: command,
    ...(signal === undefined ? {} : { signal }),
  })
}
