import { Value } from '@sinclair/typebox/value'
import type { AdminTarget } from './operation.ts'
import {
  type InputOf,
  OPERATIONS,
  operationNamed,
  type ResultOf,
  type StreamName,
  type ValueName,
} from './operations.ts'

/** A member of an input that is JSON text already: it is sent as it is. */
export interface RawMember {
  readonly name: string
  readonly text: string | Uint8Array
}

/** How operations reach the process that carries them out. */
export interface AdminTransport {
  /** @returns the result, unchecked @throws Error with the message of the operation */
  send(name: string, input: object, options?: SendOptions): Promise<unknown>
  /** @returns the text of a stream operation, in chunks */
  stream(name: string, input: object): AsyncIterable<Uint8Array>
  /** Closes what the transport has opened. */
  close?(): Promise<void>
}

export interface SendOptions {
  readonly signal?: AbortSignal
  readonly rawMember?: RawMember
}

/** Carries out operations in this process. @param close closes the target */
export function localTransport(target: AdminTarget, close: () => Promise<void>): AdminTransport {
  return {
    close,
    send: async (name, input, { rawMember } = {}) => {
      const raw = rawMember && { [rawMember.name]: JSON.parse(Buffer.from(rawMember.text).toString()) as unknown }
      return operationNamed(name).run(target, { ...input, ...raw })
    },
    stream: async function* (name, input) {
      const operation = operationNamed(name)
      if (operation.kind !== 'stream') throw new Error(`the operation "${name}" returns no stream`)
      for await (const chunk of operation.run(target, input)) yield Buffer.from(chunk)
    },
  }
}

/** Calls admin operations by name, typed by their table. */
export class AdminClient implements AsyncDisposable {
  readonly #transport: AdminTransport

  constructor(transport: AdminTransport) {
    this.#transport = transport
  }

  /** @throws Error with the message of the operation */
  async call<Name extends ValueName>(name: Name, input: InputOf<Name>, signal?: AbortSignal): Promise<ResultOf<Name>> {
    const result = await this.#transport.send(name, input, signal && { signal })
    const { result: schema } = OPERATIONS[name]
    if (!Value.Check(schema, result)) throw new Error(`the server answers "${name}" with an unknown result`)
    return result
  }

  /** As `call`, for an operation without a result. One member of the input is JSON text already. */
  async callWithText<Name extends ValueName>(
    name: Name,
    input: Omit<InputOf<Name>, RawMember['name']>,
    rawMember: RawMember,
  ): Promise<void> {
    await this.#transport.send(name, input, { rawMember })
  }

  /** @returns the text of a stream operation, in chunks */
  stream<Name extends StreamName>(name: Name, input: InputOf<Name>): AsyncIterable<Uint8Array> {
    return this.#transport.stream(name, input)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#transport.close?.()
  }
}
