/** How long a writer waits when the primary is killed and its synchronous standby is promoted. */
import { SQL } from 'bun'
import { OwnedPostgres } from '../../test/support/postgres/owned-server.ts'
import type { Part } from '../harness/part.ts'
import { type Figures, spread } from '../harness/rounds.ts'
import type { Settings } from '../harness/settings.ts'
import type { Workspace } from '../harness/workspace.ts'
import { withServer } from '../load/https.ts'
import { KeepAliveClient, putRequest } from '../load/keep-alive-client.ts'
import { figure, type Goal } from '../report/row.ts'
import { dholeServer } from '../targets/dhole.ts'

const NAME = 'failover'
/** Milliseconds. */
const PAUSE: Goal = { kind: 'at most', bound: 1000 }
/** Writes that were acknowledged when the primary is killed, and behind the first that the standby has acknowledged. */
const BEFORE = 50
const BEHIND = 50
/** A writer that got no answer for so long has failed. */
const PATIENCE_MS = 60_000

export const failoverPart: Part = {
  quick: true,
  variants: (workspace: Workspace, { repeats }: Settings) => [
    {
      name: NAME,
      run: async () => {
        const all: { promotedMs: number; killedMs: number }[] = []
        for (let count = 0; count < repeats; count++) all.push(await failOver(workspace))
        const worst = (what: 'promotedMs' | 'killedMs') => Math.max(...all.map((each) => each[what]))
        return { promotedMs: worst('promotedMs'), killedMs: worst('killedMs') } satisfies Figures
      },
    },
  ],
  rows: (samples) => [
    {
      name: NAME,
      operation: 'longest pause of a writer after promotion of the synchronous standby, HTTPS',
      size: undefined,
      measured: {
        ...figure(samples.get(NAME, 'promotedMs'), 'ms'),
        beside: { title: 'after the primary was killed', ...figure(samples.get(NAME, 'killedMs'), 'ms') },
      },
      limit: undefined,
      judged: spread(samples.get(NAME, 'promotedMs')),
      unit: 'ms',
      goal: PAUSE,
    },
  ],
}

async function failOver({ certificate }: Workspace): Promise<{ promotedMs: number; killedMs: number }> {
  const [first, second] = [freePort(), freePort()]
  await using primary = await OwnedPostgres.create({ port: first })
  await using standby = await primary.follow({ port: second })
  const url = `postgres://dhole@127.0.0.1:${first},127.0.0.1:${second}/postgres`
  await using asked = new SQL({
    adapter: 'postgres',
    path: standby.socket,
    username: 'dhole',
    database: 'postgres',
    max: 1,
  })
  await asked.unsafe('SELECT 1')
  return await withServer(dholeServer({ certificate, database: { url } }), async (running) => {
    const writer = new Writer(running.url)
    const writing = writer.run()
    await Promise.race([writer.reached(BEFORE), writing])
    const killed = performance.now()
    await primary.kill()
    const promoting = asked.unsafe('SELECT pg_promote(false)').execute()
    const promoted = performance.now()
    await promoting
    await Promise.race([writer.reached(writer.acknowledged.length + BEHIND), writing])
    writer.end()
    await writing
    return { promotedMs: writer.pauseSince(promoted), killedMs: writer.pauseSince(killed) }
  })
}

/** Writes one value after the other, and again what was not acknowledged. */
class Writer {
  /** When each was, on the monotonic clock. */
  readonly acknowledged: number[] = []
  readonly #url: string
  #isEnding = false
  #waiting: { readonly count: number; readonly resolve: () => void } | undefined

  constructor(url: string) {
    this.#url = url
  }

  /** @throws when it waits for too long */
  async run(): Promise<void> {
    let client = await KeepAliveClient.connect(this.#url)
    let last = performance.now()
    while (!this.#isEnding) {
      if (performance.now() - last > PATIENCE_MS) throw new Error('No write is acknowledged any more')
      const number = this.acknowledged.length
      try {
        if ((await client.send(putRequest(['failover', String(number % 100)], number))) !== 200) continue
      } catch {
        client = await KeepAliveClient.connect(this.#url)
        continue
      }
      last = performance.now()
      this.acknowledged.push(last)
      if (this.#waiting !== undefined && this.acknowledged.length >= this.#waiting.count) this.#waiting.resolve()
    }
    client.close()
  }

  /** Resolves when so many were acknowledged. */
  reached(count: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#waiting = { count, resolve }
    return promise
  }

  end(): void {
    this.#isEnding = true
  }

  /** The longest time between two acknowledgements, of what lies behind that time. */
  pauseSince(time: number): number {
    const behind = this.acknowledged.filter((at) => at > time)
    return Math.max(...behind.map((at, index) => at - (behind[index - 1] ?? time)))
  }
}

/** A port of 127.0.0.1 that nobody has now. */
function freePort(): number {
  const listener = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } })
  const { port } = listener
  listener.stop(true)
  return port
}
