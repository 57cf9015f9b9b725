/** Two server processes on one PostgreSQL, and one alone on another copy of the same data. */
import type { Settings } from '../harness/settings.ts'
import type { Workspace } from '../harness/workspace.ts'
import { loadTree } from '../stock/blogs.ts'
import { dholeServer } from '../targets/dhole.ts'
import type { Running } from '../targets/target.ts'

const STOCK = 'pair'
const FIRST = 'app'
const SECOND = 'second'

export interface Pair {
  /** Both serve the same application. */
  readonly one: Running
  readonly other: Running
  /** The only one on its data. */
  readonly alone: Running
  /** Serves the second application of the data that `alone` has. */
  readonly second: Running
}

/** Leaves of each tree. */
export function leavesOf({ sizes }: Settings): number {
  return sizes[0] ?? 0
}

/** Makes a database of two applications. */
export async function preparePair(workspace: Workspace, settings: Settings): Promise<void> {
  const fill = (database: Parameters<typeof loadTree>[0]) => loadTree(database, leavesOf(settings))
  const postgres = await workspace.postgres()
  await postgres.build(STOCK, { [FIRST]: fill, [SECOND]: fill })
}

/** Runs `measure` against the servers and stops them. @param names those that are needed */
export async function withPair<N extends keyof Pair>(
  workspace: Workspace,
  names: readonly N[],
  measure: (running: Pick<Pair, N>) => Promise<Record<string, Record<string, number>>>,
): Promise<Record<string, Record<string, number>>> {
  const postgres = await workspace.postgres()
  return postgres.withCopies([STOCK, STOCK], async ([shared = '', own = '']) => {
    await using servers = new AsyncDisposableStack()
    const running: Partial<Pair> = {}
    for (const name of names) {
      const url = name === 'alone' || name === 'second' ? own : shared
      const { certificate } = workspace
      const application = name === 'second' ? SECOND : FIRST
      const target = dholeServer({ certificate, database: { url, insecure: true }, name: application })
      const server = await target.start()
      servers.defer(() => server.stop())
      Object.assign(running, { [name]: server })
    }
    return await measure(running as Pick<Pair, N>)
  })
}
