import { Type } from '@sinclair/typebox'
import type { ExportCursor, ExportPage } from '../../sms/model/message.ts'
import { onApplication } from '../operation.ts'
import { importedMessage, importMessages, importReply, PAGE_RECORDS } from '../sms-import.ts'
import { id } from './nothing.ts'

const cursor = Type.Unsafe<ExportCursor>(Type.Tuple([Type.Integer(), Type.Integer()]))

/** Operations on the text messages of an application. */
export const MESSAGE_OPERATIONS = {
  'sms-counts': onApplication(
    {
      access: 'application',
      summary: 'The numbers of text messages by state.',
      input: Type.Object({ id }),
      result: Type.Record(Type.String(), Type.Integer()),
    },
    async ({ messages }) => ({ ...(await messages.counts()) }),
  ),
  'sms-import': onApplication(
    {
      access: 'local',
      summary: 'Imports text messages, a page at a time.',
      input: Type.Object({ id, page: Type.Array(importedMessage, { maxItems: PAGE_RECORDS }) }),
      result: importReply,
    },
    ({ messages }, { page }) => importMessages(messages, page),
  ),
  'sms-export': onApplication(
    {
      access: 'local',
      summary: 'Exports text messages, a page at a time.',
      input: Type.Object({
        id,
        after: Type.Optional(cursor),
        limit: Type.Integer({ minimum: 1, maximum: PAGE_RECORDS }),
      }),
      result: Type.Unsafe<ExportPage>(
        Type.Object({ records: Type.Array(Type.Object({})), next: Type.Optional(cursor) }),
      ),
    },
    ({ messages }, { after, limit }) => messages.export(after, limit),
  ),
} as const
