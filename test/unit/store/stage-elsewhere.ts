import { Database as Client } from 'bun:sqlite'
import { SqliteStore } from '../../../src/store/sqlite/sqlite-store.ts'
import { put, strictObserver, turns, wide } from '../../support/store.ts'

const VALUES: Readonly<Record<string, { readonly table: string; readonly value: () => unknown }>> = {
  list: { table: 'node', value: () => wide(20_000, (index) => index) },
  string: { table: 'text_chunk', value: () => 'x'.repeat(8_000_000) },
}

/** Replaces a value by a large one and kills itself when so many rows of the new one are committed. */
const [, , file = '', rows = '0', kind = 'list'] = Bun.argv
const { table, value } = VALUES[kind] as (typeof VALUES)[string]
const store = new SqliteStore(file, {}, strictObserver)
const large = put(store, '/list', value())
large.then(() => process.exit(3))
const reader = new Client(file, { readonly: true })
const count = reader.prepare<{ rows: number; listed: number }, []>(
  `SELECT (SELECT count(*) FROM ${table}) AS rows, (SELECT count(*) FROM detached) AS listed`,
)
for (;;) {
  const seen = count.get()
  if (seen !== null && seen.listed > 0 && seen.rows >= Number(rows)) process.kill(process.pid, 'SIGKILL')
  await turns(1)
}
