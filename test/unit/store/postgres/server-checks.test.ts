import { expect, test } from 'bun:test'
import { serverProblem } from '../../../../src/store/postgres/schema/server-checks.ts'

test.each([
  [{ number: 120_022, version: '12.22', encoding: 'UTF8' }, 'it is PostgreSQL 12.22: version 13 or later is needed'],
  [{ number: 130_000, version: '13.0', encoding: 'UTF8' }, undefined],
  [{ number: 180_001, version: '18.1', encoding: 'UTF8' }, undefined],
  [
    { number: 150_018, version: '15.18', encoding: 'SQL_ASCII' },
    "its encoding is SQL_ASCII: create a database with ENCODING 'UTF8'",
  ],
])('a server of %o', (facts, expected) => {
  expect(serverProblem(facts)).toBe(expected)
})
