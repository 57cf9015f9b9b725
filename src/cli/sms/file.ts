import type { MessageRecord } from '../../sms/model/message.ts'
import type { Cells } from './columns.ts'

/** A message in a file. */
export interface Row {
  /** Where it begins, counted from 1. */
  readonly line: number
  readonly cells: Cells
}

/** How messages stand in a file. */
export interface FileFormat {
  /**
   * The messages of a text, some at a time, so that no file is too large.
   * @throws LineError when all before the wrong line have been passed on
   */
  read(pieces: AsyncIterable<string>): AsyncIterable<readonly Row[]>
  /** What stands before the messages. */
  readonly head: string
  write(records: readonly MessageRecord[]): string
}

/** Longest line that is read, or longest row of several lines, in characters. */
export const LONGEST_ROW = 1024 * 1024

/** What is wrong in a file, and where. */
export class LineError extends Error {
  readonly line: number

  constructor(line: number, complaint: string) {
    super(complaint)
    this.line = line
  }
}
