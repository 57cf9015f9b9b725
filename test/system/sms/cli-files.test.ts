import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { readCells, writeCells } from '../../../src/cli/sms/csv.ts'
import { type FileFormat, LineError, type Row } from '../../../src/cli/sms/file.ts'
import { formatOf } from '../../../src/cli/sms/format.ts'

const csv = formatOf('messages.csv', undefined)
const ndjson = formatOf('messages.ndjson', undefined)

/** What was read of a text, and what was wrong then. */
interface Outcome {
  readonly rows: readonly (readonly [line: number, cells: Readonly<Record<string, unknown>>])[]
  readonly error: string | undefined
}

/** A decoder does not cut characters in two. */
async function* piecesOf(text: string, length: number): AsyncGenerator<string> {
  const characters = [...text]
  for (let at = 0; at < characters.length; at += length) yield characters.slice(at, at + length).join('')
}

/** @throws what is no `LineError` */
async function outcomeOf(format: FileFormat, text: string, length = text.length || 1): Promise<Outcome> {
  const rows: Row[] = []
  let error: string | undefined
  try {
    for await (const some of format.read(piecesOf(text, length))) rows.push(...some)
  } catch (thrown) {
    if (!(thrown instanceof LineError)) throw thrown
    error = `${thrown.line}: ${thrown.message}`
  }
  return { rows: rows.map(({ line, cells }) => [line, Object.fromEntries(cells)]), error }
}

const ann = { rrid: 'r1', mobile: '13800138000' }
const bob = { rrid: 'r1', mobile: '13900139000' }

const good: readonly (readonly [name: string, format: FileFormat, text: string, rows: Outcome['rows']])[] = [
  ['a header alone', csv, 'rrid,mobile\n', []],
  ['a line feed at the end', csv, 'rrid,mobile\nr1,13800138000\n', [[2, ann]]],
  ['no line feed at the end', csv, 'rrid,mobile\nr1,13800138000', [[2, ann]]],
  [
    'carriage returns',
    csv,
    'rrid,mobile\r\nr1,13800138000\r\nr1,13900139000\r\n',
    [
      [2, ann],
      [3, bob],
    ],
  ],
  [
    'both ends of lines',
    csv,
    'rrid,mobile\nr1,13800138000\r\nr1,13900139000\n',
    [
      [2, ann],
      [3, bob],
    ],
  ],
  ['another order', csv, 'mobile,rrid\n13800138000,r1\n', [[2, ann]]],
  ['quotes around everything', csv, '"rrid","mobile"\n"r1","13800138000"\n', [[2, ann]]],
  [
    'empty lines',
    csv,
    '\n\nrrid,mobile\n\r\nr1,13800138000\n\n\nr1,13900139000\n\n',
    [
      [5, ann],
      [8, bob],
    ],
  ],
  [
    'cells of several lines',
    csv,
    'rrid,mobile,messageId\nr1,1,"a\nb"\nr1,2,"a\r\n\r\nb"\nr1,3,\n',
    [
      [2, { rrid: 'r1', mobile: '1', messageId: 'a\nb' }],
      [4, { rrid: 'r1', mobile: '2', messageId: 'a\r\n\r\nb' }],
      [7, { rrid: 'r1', mobile: '3' }],
    ],
  ],
  [
    'what a spreadsheet would calculate',
    csv,
    'rrid,mobile\n=1+1,@x\n+1,-1\n',
    [
      [2, { rrid: '=1+1', mobile: '@x' }],
      [3, { rrid: '+1', mobile: '-1' }],
    ],
  ],
  ['spaces', csv, 'rrid,mobile\n r1 ,"  "\n', [[2, { rrid: ' r1 ', mobile: '  ' }]]],
  ['nothing', ndjson, '', []],
  ['one line', ndjson, `${JSON.stringify(ann)}\n`, [[1, ann]]],
  ['no line feed at the end', ndjson, JSON.stringify(ann), [[1, ann]]],
  [
    'empty lines and returns',
    ndjson,
    `\n \r\n${JSON.stringify(ann)}\r\n\n${JSON.stringify(bob)}`,
    [
      [3, ann],
      [5, bob],
    ],
  ],
  [
    'null and empty text are absent',
    ndjson,
    '{"rrid":"r1","messageId":null,"deliveryStatus":""}',
    [[1, { rrid: 'r1' }]],
  ],
]

test.each(good)('reads %s', async (_, format, text, rows) => {
  for (let length = 1; length <= text.length; length++) {
    expect<unknown>(await outcomeOf(format, text, length)).toEqual({ rows, error: undefined })
  }
  expect<unknown>(await outcomeOf(format, text)).toEqual({ rows, error: undefined })
})

const HEAD = 'rrid,mobile\n'
const wrong: readonly (readonly [
  name: string,
  format: FileFormat,
  text: string,
  error: RegExp,
  rowsBefore?: number,
])[] = [
  ['nothing', csv, '', /^1: expected a line with the names of the columns: rrid,mobile,/],
  ['empty lines', csv, '\n\n\n', /^1: expected a line with the names/],
  ['no header', csv, 'r1,13800138000\n', /^1: unknown column "r1", "13800138000": there are rrid,/],
  ['an unknown column', csv, 'rrid,mobile,price\n', /^1: unknown column "price"/],
  ['another case', csv, 'RRID,mobile\n', /^1: unknown column "RRID"/],
  ['a column of the prototype', csv, 'rrid,mobile,__proto__\n', /^1: unknown column "__proto__"/],
  ['a column twice', csv, 'rrid,mobile,rrid\n', /^1: column "rrid" twice$/],
  ['no column rrid', csv, 'mobile\n1\n', /^1: no column "rrid"$/],
  ['no column mobile', csv, 'rrid,status\n', /^1: no column "mobile"$/],
  ['a cell too few', csv, `${HEAD}r1,1\nr1\n`, /^3: expected 2 cells, found 1$/, 1],
  ['a cell too many', csv, `${HEAD}r1,1\n\nr1,2,3\n`, /^4: expected 2 cells, found 3$/, 1],
  ['a quotation mark that is not closed', csv, `${HEAD}r1,1\n"r1,2\nr1,3\n`, /^3: a quotation mark is not closed$/, 1],
  ['text after a quotation mark', csv, `${HEAD}r1,1\nr1,"2"3\n`, /^3: expected a comma or the end/, 1],
  ['a quotation mark in the middle', csv, `${HEAD}r1,1\nr1,2"3\n`, /^3: a quotation mark inside/, 1],
  ['a very long row', csv, `${HEAD}r1,1\nr1,${'2'.repeat(1024 * 1024)}`, /^3: the row has more than \d+ bytes$/, 1],
  ['lines ended by returns alone', csv, 'rrid,mobile\rr1,1\r', /^1: unknown column "mobile\\rr1"/],
  ['no JSON', ndjson, '{"rrid":"r1"}\n{rrid:1}\n', /^2: expected a JSON object, found "\{rrid:1\}"$/, 1],
  ['an array', ndjson, '[]', /^1: expected a JSON object/],
  ['an object of several lines', ndjson, '{\n"rrid":"r1"}', /^1: expected a JSON object/],
  ['an unknown member', ndjson, '{"price":1}', /^1: unknown member "price"$/],
  ['a member of the prototype', ndjson, '{"__proto__":1}', /^1: unknown member "__proto__"$/],
  ['a very long line', ndjson, `{"rrid":"r1"}\n\n"${'x'.repeat(1024 * 1024)}`, /^3: the line has more than/, 1],
  ['a terminal escape', ndjson, '\u001b[2J', /^1: expected a JSON object, found "\\u001b\[2J"$/],
]

test.each(wrong)('says where and what is wrong: %s', async (_, format, text, error, rowsBefore = 0) => {
  for (const length of [text.length || 1, 7, 4096].filter((some) => some * 1000 > text.length)) {
    const outcome = await outcomeOf(format, text, length)
    expect(outcome.error).toMatch(error)
    expect(outcome.rows).toHaveLength(rowsBefore)
  }
})

describe('whatever a file holds', () => {
  const anyText = fc.string({ unit: 'binary' })
  const markup = fc.string({
    unit: fc.constantFrom('"', ',', '\n', '\r', '\r\n', 'a', ' ', '=', '\ufeff', '\u0000', 'ü', '😀'),
  })
  const cell = fc.oneof(anyText, markup)
  const rows = fc
    .integer({ min: 2, max: 9 })
    .chain((width) => fc.array(fc.array(cell, { minLength: width, maxLength: width }), { maxLength: 5 }))

  test('cells that are written are read again', async () => {
    await fc.assert(
      fc.asyncProperty(rows, fc.integer({ min: 1, max: 50 }), async (written, length) => {
        const read: (readonly string[])[] = []
        for await (const lines of readCells(piecesOf(writeCells(written), length))) {
          read.push(...lines.map(({ cells }) => cells))
        }
        expect(read).toEqual(written)
      }),
    )
  })

  test.each([
    ['csv', csv],
    ['ndjson', ndjson],
  ] as const)('%s is read, or refused at a line of it', async (_, format) => {
    const head = fc.constantFrom('', 'rrid,mobile\n', '{"rrid":"r1"}\n')
    await fc.assert(
      fc.asyncProperty(head, cell, fc.integer({ min: 1, max: 50 }), async (before, text, length) => {
        const whole = await outcomeOf(format, before + text)
        const line = Number(whole.error?.split(':')[0] ?? 1)
        expect(line).toBeWithin(1, (before + text).split('\n').length + 1)
        expect(await outcomeOf(format, before + text, length)).toEqual(whole)
      }),
    )
  })
})

test.each([
  ['a.csv', csv],
  ['A.CSV', csv],
  ['dir.ndjson/a.csv', csv],
  ['a.jsonl', ndjson],
])('the name %s says what it is', (file, format) => {
  expect(formatOf(file, undefined)).toBe(format)
})

test.each(['a', 'a.txt', 'a.csv.gz', '-', '', '.csv', '__proto__'])('the name %p does not say what it is', (file) => {
  expect(() => formatOf(file, undefined)).toThrow('say --format csv or ndjson')
  expect(formatOf(file, 'ndjson')).toBe(ndjson)
})
