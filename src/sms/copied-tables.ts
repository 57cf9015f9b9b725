import { decodeText, encodeText } from './postgres/stored-text.ts'

const text = { encode: encodeText, decode: decodeText }

/**
 * The tables of text messages that both engines have, for copies: names of the columns, with those of the primary key first.
 * Leases are left out: they end with their process.
 */
export const MESSAGE_TABLES = [
  { name: 'sms_batch', columns: { id: 'number', rrid: text, submitted_at: 'number' }, keyLength: 1 },
  {
    name: 'sms_message',
    columns: {
      batch_id: 'number',
      position: 'number',
      mobile: text,
      status: 'number',
      code: text,
      received_at: 'number',
      message_id: text,
      produced_at: 'number',
      final_seq: 'number',
      returned_at: 'number',
    },
    keyLength: 2,
  },
  { name: 'sms_text', columns: { batch_id: 'number', version: 'text', text: 'text' }, keyLength: 1 },
  {
    name: 'sms_final',
    columns: { seq: 'number', rrid: text, mobile: text, status: 'number', code: text, received_at: 'number' },
    keyLength: 1,
  },
  {
    name: 'sms_handover',
    columns: { first_seq: 'number', last_seq: 'number', returned_at: 'number' },
    keyLength: 1,
  },
  {
    name: 'sms_contradiction',
    columns: { rrid: text, mobile: text, status: 'number', code: text, received_at: 'number', arrived_at: 'number' },
    keyLength: 4,
  },
  { name: 'sms_count', columns: { name: 'text', value: 'number' }, keyLength: 1 },
] as const
