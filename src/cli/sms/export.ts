import type { AdminClient } from '../../admin/admin-client.ts'
import { PAGE_RECORDS } from '../../admin/sms-import.ts'
import type { ExportCursor } from '../../sms/model/message.ts'
import { Progress } from '../terminal/progress.ts'
import type { Destination } from '../transfer/destination.ts'
import type { FileFormat } from './file.ts'

/** Form of an export. */
interface ExportOptions {
  readonly format: FileFormat
  /** Shows the progress on the terminal. */
  readonly isShown: boolean
}

/**
 * Writes all messages of an application, page by page. Concurrent changes may or may not be included.
 * @returns number of messages
 * @throws Error when the destination cannot be written
 */
export async function exportTo(
  destination: Destination,
  admin: AdminClient,
  id: string,
  { format, isShown }: ExportOptions,
): Promise<number> {
  const progress = new Progress('messages', undefined, isShown)
  let count = 0
  try {
    await destination.write(format.head)
    let after: ExportCursor | undefined
    do {
      const page = await admin.call('sms-export', { id, limit: PAGE_RECORDS, ...(after && { after }) })
      await destination.write(format.write(page.records))
      count += page.records.length
      progress.show(count)
      after = page.next
    } while (after !== undefined)
  } finally {
    progress.clear()
  }
  destination.finish()
  return count
}
