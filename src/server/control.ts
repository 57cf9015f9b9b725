import { rmSync } from 'node:fs'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import type { ApplicationSettings } from '../options.ts'
import type { Administration } from './administration.ts'
import { type Command, type CommandReply, commandSchema } from './command.ts'
import { connect } from './control-client.ts'
import type { MessageDesks } from './message-desks.ts'

/** Takes from whatever is made all that others could do with it. */
const NOBODY_ELSE = 0o177

const checker = TypeCompiler.Compile(commandSchema)

/** The socket on which a server takes commands. */
export interface ControlSocket {
  close(): Promise<void>
}

/**
 * Takes commands on a socket that only its owner can open. One that a killed server has left there is replaced.
 * @throws Error when another server answers there, or no socket can be made
 */
export async function takeCommands(
  path: string,
  administration: Administration,
  desks: MessageDesks,
  reload: () => Promise<string>,
): Promise<ControlSocket> {
  if ((await connect(path)) !== undefined) throw new OtherServerError(path)
  rmSync(path, { force: true })
  const before = process.umask(NOBODY_ELSE)
  try {
    const server = Bun.serve({
      unix: path,
      fetch: async (request, listener) => {
        // Closing a large tree can take long.
        listener.timeout(request, 0)
        return Response.json(await replyTo(request, { administration, desks, reload }))
      },
    })
    return { close: () => server.stop(true) }
  } finally {
    process.umask(before)
  }
}

/** Two servers over one folder would not hear of what the other one does. */
export class OtherServerError extends Error {
  constructor(path: string) {
    super(`another server answers on ${path}: one folder is served by one server`)
  }
}

/** Who carries commands out. */
interface Hands {
  readonly administration: Administration
  readonly desks: MessageDesks
  readonly reload: () => Promise<string>
}

async function replyTo(request: Request, hands: Hands): Promise<CommandReply> {
  try {
    const command: unknown = await request.json()
    if (!checker.Check(command)) return { error: 'the server does not know this command' }
    return { result: (await carryOut(command, hands)) ?? null }
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) }
  }
}

function carryOut(command: Command, { administration, desks, reload }: Hands): unknown {
  switch (command.do) {
    case 'add':
      return administration.add(command.id, command.settings as ApplicationSettings)
    case 'rotate':
      return administration.rotate(command.id, command.rotation)
    case 'remove':
      return administration.remove(command.id, command.deleteData)
    case 'state':
      return administration.state()
    case 'settle':
      return administration.settle(command.id)
    case 'replace-tree':
      return administration.replaceTree(command.id, command.stamp, command.keep)
    case 'reload':
      return reload()
    case 'sms-import':
      return desks.at(command.id, (desk) => desk.import(command.page))
    case 'sms-export':
      return desks.at(command.id, (desk) => desk.export(command.after, command.limit))
    case 'sms-counts':
      return desks.at(command.id, (desk) => desk.counts())
    default:
      return command satisfies never
  }
}
