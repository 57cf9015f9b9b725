import { arrayOf } from '../connection/arrays.ts'
import type { Lanes } from '../connection/lanes.ts'
import { DATABASE_NOW } from '../processes.ts'

/** Length of a period in which failures are counted, in milliseconds. */
const PERIOD_MS = 60_000

/** Adds failures by network, in the order of the networks, so that processes do not wait for each other in a circle. */
const ADD =
  'INSERT INTO credential_failure AS f (network, began_at, failed) ' +
  `SELECT a.network, t.now, a.failed FROM unnest($1::text[], $2::int[]) AS a(network, failed), (SELECT ${DATABASE_NOW} AS now) t ` +
  'ORDER BY a.network ON CONFLICT (network) DO UPDATE SET ' +
  `began_at = CASE WHEN f.began_at > excluded.began_at - ${PERIOD_MS} THEN f.began_at ELSE excluded.began_at END, ` +
  `failed = CASE WHEN f.began_at > excluded.began_at - ${PERIOD_MS} THEN f.failed + excluded.failed ELSE excluded.failed END ` +
  `RETURNING network, failed, (began_at + ${PERIOD_MS} - ${DATABASE_NOW})::float8 AS "leftMs"`

const FORGET = `DELETE FROM credential_failure WHERE began_at < ${DATABASE_NOW} - ${PERIOD_MS}`

/** Failures of a network on all processes. */
interface FailureCount {
  readonly failures: number
  /** Time until they are forgotten, in milliseconds. */
  readonly leftMs: number
}

/** Wrong credentials of networks that no statement has counted yet. */
interface Gathered {
  readonly networks: Map<string, number>
  readonly counted: Promise<ReadonlyMap<string, FailureCount>>
}

/** Counts the wrong credentials of a network on all processes, in the minute that begins with the first one. */
export class FailureCounts {
  readonly #lanes: Lanes
  #gathered: Gathered | undefined
  #last: Promise<unknown> = Promise.resolve()

  constructor(lanes: Lanes) {
    this.#lanes = lanes
  }

  /** Counts one. One statement runs at a time; what comes meanwhile goes with the next. @throws what the database throws */
  async add(network: string): Promise<FailureCount> {
    this.#gathered ??= this.#gather()
    const { networks, counted } = this.#gathered
    networks.set(network, (networks.get(network) ?? 0) + 1)
    return (await counted).get(network) ?? { failures: 0, leftMs: 0 }
  }

  /** Removes old counts. @throws what the database throws */
  async tidy(): Promise<void> {
    await this.#lanes.query(FORGET)
  }

  #gather(): Gathered {
    const networks = new Map<string, number>()
    const counted = this.#last.then(() => {
      this.#gathered = undefined
      return this.#count(networks)
    })
    this.#last = counted.catch(() => {})
    return { networks, counted }
  }

  async #count(networks: ReadonlyMap<string, number>): Promise<ReadonlyMap<string, FailureCount>> {
    const rows = await this.#lanes.query<{ network: string; failed: number; leftMs: number }>(ADD, [
      arrayOf([...networks.keys()]),
      arrayOf([...networks.values()]),
    ])
    return new Map(rows.map(({ network, failed, leftMs }) => [network, { failures: failed, leftMs }]))
  }
}
