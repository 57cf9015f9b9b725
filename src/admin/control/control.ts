import { rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import type { ApplicationSettings } from '../../options.ts'
import type { Administration } from '../administration.ts'
import type { MessageDesks } from '../sms-admins.ts'
import type { TreeDesks } from '../tree-admins.ts'
import { type Command, type CommandReply, commandSchema, type ServerProcess } from './command.ts'
import { connect } from './control-client.ts'

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
export async function takeCommands(path: string, hands: Hands): Promise<ControlSocket> {
  const other = await connect(path)
  if (other !== undefined) throw new OtherServerError(dirname(path), await other.process())
  rmSync(path, { force: true })
  const before = process.umask(NOBODY_ELSE)
  try {
    const server = Bun.serve({
      unix: path,
      fetch: async (request, listener) => {
        // Closing a large tree can take long.
        listener.timeout(request, 0)
        const reply = await replyTo(request, hands)
        return reply instanceof Response ? reply : Response.json(reply)
      },
    })
    return { close: () => server.stop(true) }
  } finally {
    process.umask(before)
  }
}

/** Two servers over one folder would not hear of what the other one does. */
export class OtherServerError extends Error {
  constructor(dataDir: string, { pid, url }: ServerProcess) {
    const where = url === undefined ? '' : ` at ${url}`
    super(`DATA_DIR: ${dataDir} is in use by the server${where} (process ${pid}): one folder is served by one server`)
  }
}

/** Who carries commands out. */
export interface Hands {
  readonly administration: Administration
  readonly desks: MessageDesks
  readonly trees: TreeDesks
  /** Looks for a new certificate. @returns what came of it, for people */
  readonly reload: () => Promise<string>
  readonly process: () => ServerProcess
}

/** @returns an answer of its own where it may be of any size */
async function replyTo(request: Request, hands: Hands): Promise<CommandReply | Response> {
  try {
    const command: unknown = await request.json()
    if (!checker.Check(command)) return { error: 'the server does not know this command' }
    const result = await carryOut(command, hands)
    return result instanceof Response ? result : { result: result ?? null }
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) }
  }
}

function carryOut(command: Command, { administration, desks, trees, reload, process }: Hands): unknown {
  switch (command.do) {
    case 'add':
      return administration.add(command.id, command.settings as ApplicationSettings)
    case 'check-rotation':
      return administration.checkRotation(command.id, command.rotation)
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
    case 'process':
      return process()
    case 'sms-import':
      return desks.at(command.id, (desk) => desk.import(command.page))
    case 'sms-export':
      return desks.at(command.id, (desk) => desk.export(command.after, command.limit))
    case 'sms-counts':
      return desks.at(command.id, (desk) => desk.counts())
    case 'tree-facts':
      return trees.at(command.id, (tree) => tree.facts())
    case 'tree-put':
      return trees.at(command.id, (tree) => tree.put(command.path, command.json))
    case 'tree-members':
      return trees.at(command.id, (tree) => tree.putMembers(command.path, command.members))
    case 'tree-priority':
      return trees.at(command.id, (tree) => tree.putPriority(command.path, command.priority))
    case 'tree-export':
      return trees.export(command.id, command.path)
    case 'tree-rules':
      return trees.at(command.id, (tree) => tree.rules())
    case 'tree-set-rules':
      return trees.at(command.id, (tree) => tree.setRules(command.source))
    default:
      return command satisfies never
  }
}
