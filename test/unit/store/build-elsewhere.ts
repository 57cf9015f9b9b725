import { Database as Client } from 'bun:sqlite'
import { makeQuery } from '../../../src/query/query.ts'
import { SqliteStore } from '../../../src/store/sqlite/sqlite-store.ts'
import { TRUSTED } from '../../../src/tree/read-program.ts'
import { put, strictObserver, turns, unlimited, wide } from '../../support/store.ts'

/** Fills the file named on the command line, begins to build an index and says so; to be killed then. */
const store = new SqliteStore(Bun.argv[2] ?? '', { inlineLength: Number(Bun.argv[3]) }, strictObserver)
await put(
  store,
  '/list',
  wide(20_000, (index) => ({ h: index })),
)
const asked = store.query(['list'], makeQuery({ orderBy: 'h', limitToFirst: 1 }, 'firebase'), unlimited, TRUSTED)
const client = new Client(Bun.argv[2] ?? '', { readonly: true })
const entries = client.query('SELECT 1 FROM index_entry LIMIT 1')
while (entries.get() === null) await turns(1)
if (!store.indexes().some(({ ready }) => ready)) process.stdout.write('building\n')
// More writes make the steps of building small.
for (let round = 0; ; round++) await Promise.all([put(store, '/n', round), round > 100 ? asked : undefined])
