import { rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { messageOf } from '../../files/system-error.ts'
import type { ServerProcess } from '../administration.ts'
import type { AdminTarget } from '../operation.ts'
import { operationNamed } from '../operations.ts'
import { type ControlReply, connect, END_OF_STREAM, STREAM_TYPE } from './control-client.ts'

/** Removes the permissions of the group and of others from new files. */
const OWNER_ONLY = 0o177

/** The open control socket of a server. */
export interface ControlSocket {
  close(): Promise<void>
}

/**
 * Carries out admin operations for clients of a socket that only its owner can open. Replaces the socket of a killed
 * server.
 * @throws Error when another server answers on the socket, or the socket cannot be created
 */
export async function listenForCommands(path: string, target: AdminTarget): Promise<ControlSocket> {
  const other = await connect(path)
  if (other !== undefined) throw new OtherServerError(dirname(path), await other.call('process', {}))
  rmSync(path, { force: true })
  const before = process.umask(OWNER_ONLY)
  try {
    const server = Bun.serve({
      unix: path,
      fetch: (request, listener) => {
        // Closing a large tree can take long.
        listener.timeout(request, 0)
        return replyTo(request, target)
      },
    })
    return { close: () => server.stop(true) }
  } finally {
    process.umask(before)
  }
}

/** Another server has the folder: two servers would not see each other's changes. */
export class OtherServerError extends Error {
  constructor(dataDir: string, { pid, url }: ServerProcess) {
    const where = url === undefined ? '' : ` at ${url}`
    super(
      `DATA_DIR: ${dataDir} is in use by the server${where} (process ${pid}): one folder is served by one server; on PostgreSQL give each one a folder of its own`,
    )
  }
}

/** A request is a JSON object: the name of the operation as `do`, beside the members of its input. */
async function replyTo(request: Request, target: AdminTarget): Promise<Response> {
  try {
    const command: unknown = await request.json()
    if (typeof command !== 'object' || command === null || !('do' in command)) {
      throw new Error('expected a JSON object with the name of an operation as "do"')
    }
    const { do: name, ...input } = command
    const operation = operationNamed(name)
    if (operation.kind === 'stream') return await streamed(operation.run(target, input))
    return reply({ result: await operation.run(target, input) })
  } catch (error) {
    return reply({ error: messageOf(error) })
  }
}

function reply(value: ControlReply): Response {
  return Response.json(value)
}

/** Sends chunks as the client reads them. @throws what the first chunk throws; a later error breaks off the stream */
async function streamed(chunks: AsyncGenerator<string, void>): Promise<Response> {
  let next: Promise<IteratorResult<string, void>> | undefined = Promise.resolve(await chunks.next())
  const utf8 = new TextEncoder()
  const body = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      const { done, value } = await (next ?? chunks.next())
      next = undefined
      controller.enqueue(utf8.encode(done ? END_OF_STREAM : value))
      if (done) controller.close()
    },
    cancel: async () => {
      await chunks.return()
    },
  })
  return new Response(body, { headers: { 'Content-Type': STREAM_TYPE } })
}
