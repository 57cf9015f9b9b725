import type { Cut } from '../../support/postgres/cut-proxy.ts'
import { whyNoSmallDisk } from '../../support/postgres/small-disk.ts'
import type { Random } from '../crash/random.ts'
import { type Cluster, type Member, POSTGRES } from './cluster.ts'

/** What goes wrong. */
export type FaultKind =
  | Cut
  | 'no answers'
  | 'slow'
  | 'clock'
  | 'stopped process'
  | 'killed process'
  | 'crash of PostgreSQL'
  | 'killed PostgreSQL'
  | 'full disk'
  | 'promotion'

/** How many of a thousand faults are of each kind. */
export const USUAL: Readonly<Partial<Record<FaultKind, number>>> = {
  'behind a commit': 380,
  'before a late commit': 160,
  'before a commit': 80,
  now: 150,
  'no answers': 40,
  slow: 40,
  clock: 50,
  'stopped process': 40,
  'killed process': 28,
  'crash of PostgreSQL': 16,
  'killed PostgreSQL': 13,
  ...(whyNoSmallDisk === undefined ? { 'full disk': 16 } : {}),
  promotion: 3,
}

/** Longest wait for a commit to cut, in milliseconds. */
const CUT_MS = 400
const MOST_CLOCK_MS = 5 * 60_000

/** Makes faults in a cluster, one after the other. */
export class Faults {
  readonly #cluster: Cluster
  readonly #random: Random
  /** How often each was made. */
  readonly made = new Map<FaultKind, number>()
  /** When the last one was over, on the monotonic clock. */
  lastAt = Number.NEGATIVE_INFINITY

  constructor(cluster: Cluster, random: Random) {
    this.#cluster = cluster
    this.#random = random
  }

  /** Makes a fault, and mends what does not mend by itself. */
  async make(kind: FaultKind): Promise<void> {
    const member = this.#cluster.member(this.#random)
    await this.#make(kind, member)
    this.made.set(kind, (this.made.get(kind) ?? 0) + 1)
    this.lastAt = performance.now()
  }

  /** Puts all clocks right. */
  calm(): void {
    for (const member of this.#cluster.members) {
      member.proxy.calm()
      member.setClock(0)
    }
  }

  async #make(kind: FaultKind, member: Member): Promise<void> {
    switch (kind) {
      case 'no answers': {
        const release = member.proxy.hold()
        await this.#pause(1200)
        return release()
      }
      case 'slow':
        member.proxy.delay(1 + this.#random.below(20))
        await this.#pause(200)
        return member.proxy.delay(0)
      case 'clock':
        return member.setClock(this.#random.below(2 * MOST_CLOCK_MS) - MOST_CLOCK_MS)
      case 'stopped process':
        member.child.signal('SIGSTOP')
        await this.#pause(600)
        return member.child.signal('SIGCONT')
      case 'killed process':
        await member.child.kill()
        return await member.start()
      case 'crash of PostgreSQL':
        await this.#cluster.postgres.crash()
        return await this.#pause(300)
      case 'killed PostgreSQL':
        await this.#cluster.postgres.kill()
        return await this.#cluster.postgres.start()
      case 'full disk':
        return await this.#fillDisk()
      case 'promotion':
        return await this.#promote()
      default:
        return await this.#cut(kind, member)
    }
  }

  async #cut(cut: Cut, { proxy }: Member): Promise<void> {
    const late = Promise.withResolvers<void>()
    const timer = setTimeout(late.resolve, CUT_MS)
    await Promise.race([proxy.cut(cut), late.promise])
    clearTimeout(timer)
    proxy.calm()
  }

  async #fillDisk(): Promise<void> {
    const { postgres } = this.#cluster
    await postgres.disk.fill()
    await this.#pause(1500)
    await postgres.disk.free()
    // Without room for its log it may have ended, or end only now.
    await postgres.recover()
  }

  async #promote(): Promise<void> {
    const old = this.#cluster.postgres
    const standby = await old.follow(POSTGRES)
    await this.#pause(300)
    await old.kill()
    await standby.promote()
    this.#cluster.postgres = standby
    await old[Symbol.asyncDispose]()
    for (const { proxy } of this.#cluster.members) await proxy.cut('now')
  }

  /** @param most milliseconds */
  async #pause(most: number): Promise<void> {
    await Bun.sleep(this.#random.below(most))
  }
}

/** Kinds of faults in the order in which they are made: so many of each as is usual, mixed. */
export function plannedFaults(count: number, random: Random, shares: Partial<Record<FaultKind, number>>): FaultKind[] {
  const entries = Object.entries(shares) as [FaultKind, number][]
  const total = entries.reduce((sum, [, share]) => sum + share, 0)
  const planned = entries.flatMap(([kind, share]) =>
    Array.from({ length: Math.max(1, Math.round((count * share) / total)) }, () => kind),
  )
  for (let at = planned.length - 1; at > 0; at--) {
    const other = random.below(at + 1)
    const [one, two] = [planned[at], planned[other]]
    if (one !== undefined && two !== undefined) [planned[at], planned[other]] = [two, one]
  }
  return planned
}
