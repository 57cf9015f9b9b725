import { describe, expect, test } from 'bun:test'
import { changesOf, cutRow, firstSeqOf, type LogEntry, rowOf } from '../../../src/store/rows/change-row.ts'

const entries: readonly [LogEntry, ...LogEntry[]] = [
  { kind: 'put', path: '/a/"b"', data: '{"ä":"\\u0000","😀":1}' },
  { kind: 'patch', path: '/', data: null },
  { kind: 'put', path: '/', data: 'null' },
  { kind: 'patch', path: '/c', data: '{"d/e":1}' },
]

const shown = (row: ReturnType<typeof rowOf>) =>
  changesOf(row).map(({ seq, at, kind, path, data }) => [seq, at, kind, `/${path.join('/')}`, data ?? null])
const expected = entries.map(({ kind, path, data }, index) => [7 + index, 5, kind, path, data])

describe('commits in one row', () => {
  test('are read back as they were', () => {
    const row = rowOf(entries, 10, 5)
    expect(shown(row)).toEqual(expected)
    expect(firstSeqOf(row)).toBe(7)
  })

  test('one is a row as it is', () => {
    expect(rowOf([entries[1] ?? entries[0]], 8, 5)).toEqual({ seq: 8, at: 5, kind: 'patch', path: '/', data: null })
  })

  test.each([7, 8, 9, 10])('are cut before %d', (keepFrom) => {
    const row = cutRow(rowOf(entries, 10, 5), keepFrom)
    expect(shown(row)).toEqual(expected.slice(keepFrom - 7))
    expect(firstSeqOf(row)).toBe(keepFrom)
  })

  test('one that is left without data has none', () => {
    const row = cutRow(rowOf([entries[0], entries[1] ?? entries[0]], 8, 5), 8)
    expect(row).toEqual({ seq: 8, at: 5, kind: 'patch', path: '/', data: null })
  })
})
