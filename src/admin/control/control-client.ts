import type { ApplicationSettings } from '../../options.ts'
import type { ExportCursor, ExportPage } from '../../sms/model/message.ts'
import type { AddedApplication, Administration, Rotation, ServerState } from '../administration.ts'
import type { ImportedMessage, ImportReply, MessageDesk } from '../sms-admin.ts'
import type { TreeDesk } from '../tree-admin.ts'
import type { ServerProcess } from './command.ts'
import { call } from './control-call.ts'
import { RemoteTree } from './remote-tree.ts'

/** Nobody answers: no socket there, or one that a killed server has left. */
const NOBODY = new Set(['ENOENT', 'ECONNREFUSED'])
/** A server that is asked whether it is there answers at once. */
const GREETING_MS = 10_000

/** A server that has the applications open. */
export interface ConnectedServer extends Administration {
  /** The messages of an application; whether there is one of that name is seen when something is done there. */
  desk(id: string): MessageDesk
  /** Has it look for a new certificate. @returns what came of it, for people */
  reload(): Promise<string>
  /** Which process it is, and where it listens. */
  process(): Promise<ServerProcess>
  /** The tree of an application; as `desk`. */
  tree(id: string): TreeDesk
}

/** The server on a socket; `undefined` when none answers. @throws Error when one is there that cannot be spoken to */
export async function connect(path: string): Promise<ConnectedServer | undefined> {
  try {
    await call(path, { do: 'state' }, AbortSignal.timeout(GREETING_MS))
  } catch (error) {
    if (error instanceof Error && 'code' in error && NOBODY.has(String(error.code))) return undefined
    throw new Error(`the server on ${path} does not answer`, { cause: error })
  }
  return new RemoteServer(path)
}

/** Has the running server do it, so that it is done when the command returns. */
class RemoteServer implements ConnectedServer {
  readonly #path: string

  constructor(path: string) {
    this.#path = path
  }

  async add(id: string, settings: ApplicationSettings): Promise<AddedApplication> {
    return (await call(this.#path, { do: 'add', id, settings })) as AddedApplication
  }

  async checkRotation(id: string, rotation: Rotation): Promise<void> {
    await call(this.#path, { do: 'check-rotation', id, rotation: sent(rotation) })
  }

  async rotate(id: string, rotation: Rotation): Promise<string> {
    return (await call(this.#path, { do: 'rotate', id, rotation: sent(rotation) })) as string
  }

  async remove(id: string, deleteData: boolean): Promise<void> {
    await call(this.#path, { do: 'remove', id, deleteData })
  }

  async state(): Promise<ServerState> {
    return (await call(this.#path, { do: 'state' })) as ServerState
  }

  async settle(id: string): Promise<void> {
    await call(this.#path, { do: 'settle', id })
  }

  async replaceTree(id: string, stamp: string, keep: boolean): Promise<void> {
    await call(this.#path, { do: 'replace-tree', id, stamp, keep })
  }

  desk(id: string): MessageDesk {
    return new RemoteDesk(this.#path, id)
  }

  async reload(): Promise<string> {
    return (await call(this.#path, { do: 'reload' })) as string
  }

  async process(): Promise<ServerProcess> {
    return (await call(this.#path, { do: 'process' })) as ServerProcess
  }

  tree(id: string): TreeDesk {
    return new RemoteTree(this.#path, id)
  }
}

/** JSON has no member that is undefined. */
function sent({ key, value }: Rotation): { readonly key: Rotation['key']; readonly value?: string } {
  return value === undefined ? { key } : { key, value }
}

/** Has the running server do it. */
class RemoteDesk implements MessageDesk {
  readonly #path: string
  readonly #id: string

  constructor(path: string, id: string) {
    this.#path = path
    this.#id = id
  }

  async import(page: readonly ImportedMessage[]): Promise<ImportReply> {
    return (await call(this.#path, { do: 'sms-import', id: this.#id, page })) as ImportReply
  }

  async export(after: ExportCursor | undefined, limit: number): Promise<ExportPage> {
    const from = after === undefined ? {} : { after: [...after] satisfies [number, number] }
    return (await call(this.#path, { do: 'sms-export', id: this.#id, limit, ...from })) as ExportPage
  }

  async counts(): Promise<Readonly<Record<string, number>>> {
    return (await call(this.#path, { do: 'sms-counts', id: this.#id })) as Readonly<Record<string, number>>
  }
}
