import type { Path } from '../../tree/path.ts'
import type { PartToPut, TreeDesk, TreeFacts } from '../tree-admin.ts'
import { END_OF_EXPORT, EXPORT_TYPE } from '../tree-admins.ts'
import type { Command, CommandReply } from './command.ts'
import { call, callWithText, post } from './control-call.ts'

/** Has the running server do it. */
export class RemoteTree implements TreeDesk {
  readonly #path: string
  readonly #id: string

  /** @param path of the socket */
  constructor(path: string, id: string) {
    this.#path = path
    this.#id = id
  }

  async facts(): Promise<TreeFacts> {
    return (await call(this.#path, { do: 'tree-facts', id: this.#id })) as TreeFacts
  }

  async put(path: Path, json: unknown): Promise<void> {
    await call(this.#path, { do: 'tree-put', id: this.#id, path: [...path], json })
  }

  async putPart(path: Path, part: PartToPut): Promise<void> {
    await callWithText(this.#path, `${this.#headOf(path)}${part.text()}}`)
  }

  async putText(path: Path, members: Uint8Array<ArrayBuffer>): Promise<void> {
    await callWithText(this.#path, Buffer.concat([Buffer.from(this.#headOf(path)), members, Buffer.from('}')]))
  }

  async putPriority(path: Path, priority: string | number | null): Promise<void> {
    await call(this.#path, { do: 'tree-priority', id: this.#id, path: [...path], priority })
  }

  async *export(path: Path): AsyncGenerator<Uint8Array, void> {
    const command: Command = { do: 'tree-export', id: this.#id, path: [...path] }
    const reply = await post(this.#path, JSON.stringify(command))
    if (reply.headers.get('content-type') !== EXPORT_TYPE) throw new Error(await errorOf(reply))
    let isWhole = false
    if (reply.body !== null) {
      for await (const piece of reply.body as unknown as AsyncIterable<Uint8Array>) {
        isWhole = piece.at(-1) === END_OF_EXPORT.charCodeAt(0)
        yield isWhole ? piece.subarray(0, -1) : piece
      }
    }
    if (!isWhole) throw new Error('the server broke off')
  }

  /** A command up to the members, the text of which is there already. */
  #headOf(path: Path): string {
    const head = JSON.stringify({ do: 'tree-members', id: this.#id, path })
    return `${head.slice(0, -1)},"members":`
  }

  async rules(): Promise<string> {
    return (await call(this.#path, { do: 'tree-rules', id: this.#id })) as string
  }

  async setRules(source: string): Promise<void> {
    await call(this.#path, { do: 'tree-set-rules', id: this.#id, source })
  }
}

async function errorOf(reply: Response): Promise<string> {
  const answer = (await reply.json()) as CommandReply
  return 'error' in answer ? answer.error : 'the server does not know this command'
}
