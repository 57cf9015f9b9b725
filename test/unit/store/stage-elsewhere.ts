import { Database as Client } from 'bun:sqlite'
import { SqliteStore } from '../../../src/store/sqlite/sqlite-store.ts'
import { put, strictObserver, turns, wide } from '../../support/store.ts'

/** Replaces a list by a large one and kills itself when so many rows of the new one are committed. */
const [, , file = '', rows = '0'] = Bun.argv
const store = new SqliteStore(file, {}, strictObserver)
const large = put(
  store,
  '/list',
  wide(20_000, (index) => index),
)
large.then(() => process.exit(3))
const reader = new Client(file, { readonly: true })
const count = reader.prepare<{ rows: number; listed: number }, []>(
  'SELECT (SELECT count(*) FROM node) AS rows, (SELECT count(*) FROM detached) AS listed',
)
for (;;) {
  const seen = count.get()
  if (seen !== null && seen.listed > 0 && seen.rows >= Number(rows)) process.kill(process.pid, 'SIGKILL')
  await turns(1)
}
