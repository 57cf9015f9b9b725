import { type MessageDesk, PAGE_RECORDS } from '../../admin/sms-admin.ts'
import type { ExportCursor } from '../../sms/model/message.ts'
import { Progress } from '../terminal/progress.ts'
import type { Destination } from '../transfer/destination.ts'
import type { FileFormat } from './file.ts'

/**
 * Writes all messages, batch by batch. What changes meanwhile is in it or not.
 * @param isShown whether a terminal is shown how far it is
 * @returns number of messages
 * @throws Error when they cannot be written
 */
export async function exportTo(
  destination: Destination,
  desk: MessageDesk,
  format: FileFormat,
  isShown: boolean,
): Promise<number> {
  const progress = new Progress('messages', undefined, isShown)
  let count = 0
  try {
    await destination.write(format.head)
    let after: ExportCursor | undefined
    do {
      const { records, next } = await desk.export(after, PAGE_RECORDS)
      await destination.write(format.write(records))
      count += records.length
      progress.show(count)
      after = next
    } while (after !== undefined)
  } finally {
    progress.clear()
  }
  destination.finish()
  return count
}
