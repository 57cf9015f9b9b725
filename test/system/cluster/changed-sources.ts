/** Preloaded into a server process of the tests: changes lines of the engine before they are run. */
import { readFileSync } from 'node:fs'
import { plugin } from 'bun'

interface Change {
  /** End of the path of the file. */
  readonly file: string
  readonly from: string
  readonly to: string
}

/** A connection that answers nothing is given up soon. */
const ALWAYS: readonly Change[] = [
  { file: 'postgres/postgres-database.ts', from: 'DEFAULT_STATEMENT_MS = 10_000', to: 'DEFAULT_STATEMENT_MS = 800' },
]

/** Faults that the checks must find, by name. */
const PLANTED: Readonly<Record<string, readonly Change[]>> = {
  'a commit without the check of its stamp': [
    { file: 'commit/committer.ts', from: 'found?.stamp === batch.stamp', to: "typeof found?.stamp === 'string'" },
  ],
  'doubt taken for failure': [
    { file: 'commit/committer.ts', from: 'if (found?.stamp === batch.stamp) return', to: '' },
  ],
  'reads without the question whether they are fresh': [
    { file: 'follow/follower.ts', from: '      await this.pull()\n', to: '' },
    // Hints may be lost: nothing rests on them.
    { file: 'follow/hints.ts', from: 'this.#heard(payload)', to: 'void payload' },
  ],
  'a cache that takes texts without a look at later batches': [
    {
      file: 'reads/open-reads.ts',
      from: 'if (this.#parts.tree.batch.batch === batch) cache()',
      to: 'void Bun.sleep(20).then(cache)',
    },
  ],
  'batches applied in the wrong order': [
    { file: 'follow/foreign-batches.ts', from: 'ORDER BY l.batch LIMIT', to: 'ORDER BY l.batch DESC LIMIT' },
    { file: 'follow/follower.ts', from: 'if (row.batch <= batch) continue', to: '' },
    { file: 'follow/follower.ts', from: 'if (row.batch !== batch + 1) return false', to: '' },
  ],
  'a database that acknowledges what it has not synced': [
    { file: 'connection/address.ts', from: "synchronous_commit: 'on'", to: "synchronous_commit: 'off'" },
  ],
  'leases that keep no other process off': [
    { file: 'leases/free-ranges.ts', from: "isAlive('l.process')} ORDER", to: "'false'} ORDER" },
  ],
}

const fault = process.env['PLANTED_FAULT'] ?? ''
const changes = [...ALWAYS, ...(fault === '' ? [] : (PLANTED[fault] ?? missing(fault)))]

plugin({
  name: 'changed sources',
  setup(build) {
    build.onLoad({ filter: /src\/(store|sms)\/postgres\/.*\.ts$/ }, ({ path }) => ({
      contents: changed(path),
      loader: 'ts',
    }))
  },
})

function changed(path: string): string {
  let text = readFileSync(path, 'utf8')
  for (const { from, to } of changes.filter(({ file }) => path.endsWith(file))) {
    if (!text.includes(from)) throw new Error(`${path} has no ${from}`)
    text = text.replace(from, to)
  }
  return text
}

function missing(name: string): never {
  throw new Error(`no fault is named ${name}`)
}
