import type { MessageRecord } from '../../sms/model/message.ts'
import type { Cells } from './columns.ts'

/** A message in a file. */
export interface Row {
  /** Its first line, from 1. */
  readonly line: number
  readonly cells: Cells
}

/** A file format for messages. */
export interface FileFormat {
  /**
   * The messages of a text in batches, for files of any size.
   * @throws LineError after all messages before the faulty line
   */
  read(pieces: AsyncIterable<string>): AsyncIterable<readonly Row[]>
  /** Text before the messages. */
  readonly head: string
  write(records: readonly MessageRecord[]): string
}

/** Maximum length of a row, in characters. */
export const LONGEST_ROW = 1024 * 1024

/** A fault of a file with its line. */
export class LineError extends Error {
  readonly line: number

  constructor(line: number, complaint: string) {
    super(complaint)
    this.line = line
  }
}
