import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { parseReceipt } from '../../../src/sms/format/receipt.ts'
import { ReceiveTime } from '../../../src/sms/format/receive-time.ts'
import { isMessageId } from '../../../src/sms/model/message-id.ts'

const time = new ReceiveTime('+08:00')
/** 17-04-20 16:09 in China. */
const DONE = Date.UTC(2017, 3, 20, 8, 9)
const LONG_ID = 'x'.repeat(64)

test.each([
  [
    'id:0123456789 sub:001 dlvrd:001 submit date:1704201608 done date:1704201609 stat:DELIVRD err:000 text:Hello',
    ['0123456789', 'DELIVRD', DONE],
  ],
  ['id:a-1 submit date:170420160800 done date:170420160905 stat:UNDELIV err:255', ['a-1', 'UNDELIV', DONE + 5000]],
  ['stat:EXPIRED err:0 done date:1704201609 id:7', ['7', 'EXPIRED', DONE]],
  ['ID:7 SUB:1 DLVRD:1 SUBMIT DATE:1704201608 DONE DATE:1704201609 STAT:DELIVRD TEXT:', ['7', 'DELIVRD', DONE]],
  ['Id:7 Done Date:1704201609 Stat:DELIVRD Text:x', ['7', 'DELIVRD', DONE]],
  ['id:7 submitdate:1704201608 donedate:1704201609 stat:DELIVRD', ['7', 'DELIVRD', DONE]],
  ['id:7 stat:DELIVRD', ['7', 'DELIVRD', undefined]],
  ['id:7\r\nstat:DELIVRD\tdone date:1704201609\n', ['7', 'DELIVRD', DONE]],
  ['  id:7   stat:DELIVRD', ['7', 'DELIVRD', undefined]],
  ['id:a:b:7 stat:MY:0001', ['a:b:7', 'MY:0001', undefined]],
  ['id:7 stat:DELIVRD text:stat:REJECTD id:8 done date:1704201609', ['7', 'DELIVRD', undefined]],
  ['id:7 stat:DELIVRD text: stat:REJECTD', ['7', 'DELIVRD', undefined]],
  ['id:7 stat:DELIVRD id:8 stat:REJECTD', ['7', 'DELIVRD', undefined]],
  ['id:context:7 stat:DELIVRD', ['context:7', 'DELIVRD', undefined]],
  ['id:7 substat:REJECTD stat:DELIVRD', ['7', 'DELIVRD', undefined]],
  ['id:7 stat:delivrd', ['7', 'delivrd', undefined]],
  ['id:7 stat:DELIVRD done date:', ['7', 'DELIVRD', undefined]],
  ['id:7 stat:DELIVRD done date:0000000000', ['7', 'DELIVRD', undefined]],
  ['id:7 stat:DELIVRD done date:1702301609', ['7', 'DELIVRD', undefined]],
  ['id:7 stat:DELIVRD done date:17042016', ['7', 'DELIVRD', undefined]],
  ['id:编号7 stat:DELIVRD', ['编号7', 'DELIVRD', undefined]],
  [`id:${LONG_ID} stat:DELIVRD`, [LONG_ID, 'DELIVRD', undefined]],
] as const)('%j', (text, [messageId, code, receivedAt]) => {
  expect(parseReceipt(text, time)).toEqual({ messageId, code, receivedAt })
})

test.each([
  '',
  'Hello',
  'id:7',
  'stat:DELIVRD',
  'id: stat:DELIVRD',
  'id:7 stat:',
  'id:7 stat: DELIVRD',
  'id:7 text:stat:DELIVRD',
  'text:id:7 stat:DELIVRD',
  `id:${LONG_ID}x stat:DELIVRD`,
  'id:7 stat:\u0007',
  'id:7 stat:已送达',
  `id:7 stat:${'X'.repeat(65)}`,
  'id=7 stat=DELIVRD',
])('%j is no receipt', (text) => {
  expect(parseReceipt(text, time)).toBeUndefined()
})

describe('for any message', () => {
  const fields = ['id:7', 'sub:001', 'dlvrd:001', 'submit date:1704201608', 'done date:1704201609', 'stat:DELIVRD']
  const anyOrder = fc.shuffledSubarray(fields, { minLength: fields.length })

  test('neither the order of the fields nor the text changes what is read', () => {
    fc.assert(
      fc.property(anyOrder, fc.string({ unit: 'grapheme' }), (ordered, message) => {
        const receipt = parseReceipt(`${ordered.join(' ')} text:${message}`, time)
        expect(receipt).toEqual({ messageId: '7', code: 'DELIVRD', receivedAt: DONE })
      }),
    )
  })

  test('what is read of garbage has the right form', () => {
    const word = fc.constantFrom(
      'id:',
      'stat:',
      'text:',
      'done date:',
      ' ',
      '\n',
      '1704201609',
      'x',
      '：',
      '😀',
      '\u0000',
    )
    fc.assert(
      fc.property(fc.array(fc.oneof(word, fc.string()), { maxLength: 12 }), (words) => {
        const receipt = parseReceipt(words.join(''), time)
        if (receipt === undefined) return
        expect(isMessageId(receipt.messageId)).toBe(true)
        expect(receipt.code).toMatch(/^[!-~]{1,64}$/)
      }),
      { numRuns: 500 },
    )
  })
})

test.each([
  ['1234', true],
  ['a:b/c=d', true],
  ['编号', true],
  ['e\u0301', true],
  [LONG_ID, true],
  [`${LONG_ID}x`, false],
  ['', false],
  ['a b', false],
  ['a\u00a0b', false],
  ['a\u3000b', false],
  ['a\n', false],
  ['\u0000', false],
  ['a\u200bb', false],
  ['a\ud800', false],
] as const)('%j may be the id of a message: %p', (text, right) => {
  expect(isMessageId(text)).toBe(right)
})
