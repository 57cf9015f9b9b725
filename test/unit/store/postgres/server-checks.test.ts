import { expect, test } from 'bun:test'
import { serverProblem } from '../../../../src/store/postgres/schema/server-checks.ts'

const SERVER = {
  number: 150_018,
  version: '15.18',
  encoding: 'UTF8',
  product: 'PostgreSQL 15.18 on x86_64-pc-linux-gnu',
}
const YUGABYTE = 'PostgreSQL 15.12-YB-2025.1.0.0-b0 on x86_64-pc-linux-gnu, compiled by clang version 17.0.6, 64-bit'
const COCKROACH = 'CockroachDB CCL v24.3.1 (x86_64-pc-linux-gnu, built 2024/12/09 14:51:17, go1.22.8)'

test.each([
  [{ number: 120_022, version: '12.22' }, 'it is PostgreSQL 12.22: version 13 or later is needed'],
  [{ number: 130_000, version: '13.0' }, undefined],
  [{ number: 180_001, version: '18.1', product: 'PostgreSQL 18.1 (Debian 18.1-1.pgdg12+1) on x86_64' }, undefined],
  [{ encoding: 'SQL_ASCII' }, "its encoding is SQL_ASCII: create a database with ENCODING 'UTF8'"],
  [{ number: 130_000, version: '13.0.0', product: COCKROACH }, 'it is CockroachDB: PostgreSQL itself is needed'],
  [{ product: YUGABYTE }, 'it is YugabyteDB: PostgreSQL itself is needed'],
])('a server of %o', (facts, expected) => {
  expect(serverProblem({ ...SERVER, ...facts })).toBe(expected)
})
