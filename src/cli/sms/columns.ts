import type { ImportedMessage } from '../../admin/sms-import.ts'
import { CODE_FORM, isCode, stateOf } from '../../sms/model/carrier-codes.ts'
import type { MessageRecord } from '../../sms/model/message.ts'
import { isMessageId, MESSAGE_ID_FORM } from '../../sms/model/message-id.ts'
import type { State } from '../../sms/model/report.ts'
import { isRrid } from '../../sms/model/rrid.ts'
import { shown } from '../terminal/shown.ts'
import { within } from '../terminal/within.ts'
import { isoOf, readReceiveTime, readTime } from './time.ts'

/** Columns of a message, in the order of a file. */
export const COLUMNS = [
  'rrid',
  'mobile',
  'status',
  'deliveryStatus',
  'receiveTime',
  'submittedAt',
  'messageId',
  'producedAt',
  'returnedAt',
] as const

export type Column = (typeof COLUMNS)[number]

/** Required columns. */
export const REQUIRED: readonly Column[] = ['rrid', 'mobile']

/** Cells of one message. Empty cells are absent. */
export type Cells = ReadonlyMap<Column, unknown>

const IS_COLUMN: ReadonlySet<string> = new Set(COLUMNS)

export function isColumn(name: string): name is Column {
  return IS_COLUMN.has(name)
}

/** Cells of a message for a file; `undefined` for an empty cell. */
export function cellsOf(record: MessageRecord): Readonly<Record<Column, string | number | undefined>> {
  return {
    rrid: record.rrid,
    mobile: record.mobile,
    status: record.status,
    deliveryStatus: record.deliveryStatus,
    receiveTime: isoOf(record.receivedAt),
    submittedAt: isoOf(record.submittedAt),
    messageId: record.messageId,
    producedAt: isoOf(record.producedAt),
    returnedAt: isoOf(record.returnedAt),
  }
}

/**
 * The message of a row. The application checks the form of its telephone number.
 * @param now submission time, unless the row has one
 * @throws Error with the column and the expected value
 */
export function messageOf(cells: Cells, now: number): ImportedMessage {
  const message: ImportedMessage = {
    rrid: text(cells, 'rrid', isRrid, '1 to 64 letters, digits, _ and -') ?? missing('rrid'),
    mobile: mobileOf(cells),
    status: statusOf(cells),
    deliveryStatus: text(cells, 'deliveryStatus', isCode, CODE_FORM) ?? '',
    receivedAt: within('receiveTime', () => readReceiveTime(cells.get('receiveTime'))),
    submittedAt: timeOf(cells, 'submittedAt') ?? now,
    messageId: text(cells, 'messageId', isMessageId, MESSAGE_ID_FORM),
    producedAt: timeOf(cells, 'producedAt'),
    returnedAt: timeOf(cells, 'returnedAt'),
  }
  checkState(message)
  return message
}

/** Refuses impossible states: final without a report, reported before it was sent, delivered before it was final. */
function checkState({ status, deliveryStatus, receivedAt, producedAt, returnedAt }: ImportedMessage): void {
  const known = stateOf(deliveryStatus)
  if (deliveryStatus !== '' && known !== undefined && known !== status) {
    throw new Error(`deliveryStatus: ${deliveryStatus} belongs to status ${known}, not ${status}`)
  }
  const isFinal = status === 2 || status === 3
  if (isFinal && receivedAt === undefined) throw new Error(`receiveTime: expected a time, because status is ${status}`)
  const absent = [
    ['deliveryStatus', status === 0 && deliveryStatus !== ''],
    ['receiveTime', status === 0 && receivedAt !== undefined],
    ['producedAt', !isFinal && producedAt !== undefined],
    ['returnedAt', !isFinal && returnedAt !== undefined],
  ] as const
  for (const [column, isWrong] of absent) {
    if (isWrong) throw new Error(`${column}: expected nothing while status is ${status}`)
  }
}

function mobileOf(cells: Cells): string {
  const mobile = cells.get('mobile') ?? missing('mobile')
  if (typeof mobile === 'string') return mobile
  throw new Error(`mobile: expected a telephone number as text, found ${shown(mobile)}`)
}

function statusOf(cells: Cells): State {
  const status = cells.get('status')
  switch (typeof status === 'string' ? status : JSON.stringify(status)) {
    case undefined:
    case '0':
      return 0
    case '1':
      return 1
    case '2':
      return 2
    case '3':
      return 3
    default:
      throw new Error(`status: expected 0, 1, 2 or 3, found ${shown(status)}`)
  }
}

function timeOf(cells: Cells, column: Column): number | undefined {
  return within(column, () => readTime(cells.get(column)))
}

function text(cells: Cells, column: Column, isGood: (text: string) => boolean, expected: string): string | undefined {
  const value = cells.get(column)
  if (value === undefined || (typeof value === 'string' && isGood(value))) return value
  throw new Error(`${column}: expected ${expected}, found ${shown(value)}`)
}

function missing(column: Column): never {
  throw new Error(`${column}: expected a value, found nothing`)
}
