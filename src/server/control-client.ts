import type { ApplicationSettings } from '../options.ts'
import type { AddedApplication, Administration, Rotation, ServerState } from './administration.ts'
import type { Command, CommandReply } from './command.ts'

/** Nobody answers: no socket there, or one that a killed server has left. */
const NOBODY = new Set(['ENOENT', 'ECONNREFUSED'])
/** A server that is asked whether it is there answers at once. */
const GREETING_MS = 10_000

/** The server on a socket; `undefined` when none answers. @throws Error when one is there that cannot be spoken to */
export async function connect(path: string): Promise<Administration | undefined> {
  try {
    await send(path, { do: 'state' }, AbortSignal.timeout(GREETING_MS))
  } catch (error) {
    if (error instanceof Error && 'code' in error && NOBODY.has(String(error.code))) return undefined
    throw new Error(`the server on ${path} does not answer`, { cause: error })
  }
  return new RemoteAdministration(path)
}

/** Has the running server do it, so that it is done when the command returns. */
class RemoteAdministration implements Administration {
  readonly #path: string

  constructor(path: string) {
    this.#path = path
  }

  async add(id: string, settings: ApplicationSettings): Promise<AddedApplication> {
    return (await send(this.#path, { do: 'add', id, settings })) as AddedApplication
  }

  async rotate(id: string, rotation: Rotation): Promise<string> {
    const { key, value } = rotation
    const sent = value === undefined ? { key } : { key, value }
    return (await send(this.#path, { do: 'rotate', id, rotation: sent })) as string
  }

  async remove(id: string, deleteData: boolean): Promise<void> {
    await send(this.#path, { do: 'remove', id, deleteData })
  }

  async state(): Promise<ServerState> {
    return (await send(this.#path, { do: 'state' })) as ServerState
  }
}

/** @throws Error with what the server has thrown */
async function send(path: string, command: Command, signal?: AbortSignal): Promise<unknown> {
  const reply = await fetch('http://localhost/', {
    unix: path,
    method: 'POST',
    body: JSON.stringify(command),
    ...(signal === undefined ? {} : { signal }),
  })
  const answer = (await reply.json()) as CommandReply
  if ('error' in answer) throw new Error(answer.error)
  return answer.result
}
