import type { Awaitable } from '../scheduling/awaitable.ts'
import type { Messages } from '../sms/messages.ts'
import type { ExportCursor, ExportPage, ImportCount, MessageRecord } from '../sms/model/message.ts'

/** Most messages that an import or export passes on at once. */
export const PAGE_RECORDS = 1000

/** A message to be imported: the time of the carrier may be text in the zone of the application, which the desk knows. */
export interface ImportedMessage extends Omit<MessageRecord, 'receivedAt'> {
  /** Milliseconds since 1970, or `YYYY-MM-DD HH:MM:SS`. */
  readonly receivedAt?: number | string | undefined
}

/** What became of a page: all of it is imported, or nothing because of one message. */
export type ImportReply =
  | { readonly imported: ImportCount }
  /** Its place in the page, counted from 0, and what is wrong with it. */
  | { readonly wrong: { readonly at: number; readonly complaint: string } }

/**
 * What `dhole sms` does to the messages of one application: in its file, or through the server that has it open.
 * Every method throws Error with a message for the operator.
 */
export interface MessageDesk {
  /** All of a page in one transaction, durable when it resolves; the same once more changes nothing. */
  import(page: readonly ImportedMessage[]): Promise<ImportReply>
  /** A stretch of all that is kept. @param after where the stretch before ended */
  export(after: ExportCursor | undefined, limit: number): Awaitable<ExportPage>
  /** Messages by state, reports by what became of them. */
  counts(): Awaitable<Readonly<Record<string, number>>>
}

/** The desk of an application that this process has open. */
export class OpenDesk implements MessageDesk {
  readonly #messages: Messages

  constructor(messages: Messages) {
    this.#messages = messages
  }

  async import(page: readonly ImportedMessage[]): Promise<ImportReply> {
    const records: MessageRecord[] = []
    for (const message of page) {
      const record = this.#recordOf(message)
      if (typeof record === 'string') return { wrong: { at: records.length, complaint: record } }
      records.push(record)
    }
    return { imported: await this.#messages.import(records) }
  }

  export(after: ExportCursor | undefined, limit: number): Awaitable<ExportPage> {
    return this.#messages.export(after, limit)
  }

  counts(): Awaitable<Readonly<Record<string, number>>> {
    return this.#messages.counts()
  }

  /** @returns what is wrong as text, when something only the application knows is */
  #recordOf({ receivedAt: received, ...rest }: ImportedMessage): MessageRecord | string {
    if (!this.#messages.isMobile(rest.mobile)) {
      return `mobile: expected a telephone number of the form set for the application, found ${JSON.stringify(rest.mobile)}`
    }
    const receivedAt = typeof received === 'string' ? this.#messages.time.parse(received) : received
    if (receivedAt === undefined && received !== undefined) {
      return `receiveTime: there is no such time: ${JSON.stringify(received)}`
    }
    return { ...rest, receivedAt }
  }
}
