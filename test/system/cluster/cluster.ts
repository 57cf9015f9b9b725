import { writeFileSync } from 'node:fs'
import type { DholeOptions } from '../../../src/index.ts'
import { SMS_KEY } from '../../protocol/sms/service.ts'
import { type ChildServer, startChild } from '../../support/child-server.ts'
import { SECRET } from '../../support/https-server.ts'
import { CutProxy } from '../../support/postgres/cut-proxy.ts'
import { type OwnedOptions, OwnedPostgres } from '../../support/postgres/owned-server.ts'
import { whyNoSmallDisk } from '../../support/postgres/small-disk.ts'
import { type TempDir, tempDir } from '../../support/temp-dir.ts'
import type { Random } from '../crash/random.ts'
import { rulesText } from './clients/places.ts'
import type { Server } from './clients/sender.ts'

const fileOf = (name: string) => Bun.fileURLToPath(new URL(name, import.meta.url))
const CLOCK = fileOf('../../support/clock-preload.ts')
const CHANGED_SOURCES = fileOf('./changed-sources.ts')
/** How long a write waits for the database, in milliseconds: short, so that some are given up. */
const WAIT_MS = 1500

/** A file system of its own can be full. The log of a thousand faults must fit. */
export const POSTGRES: OwnedOptions = whyNoSmallDisk === undefined ? { diskMegabytes: 2048 } : {}

/** One server process, its clock and its way to the database. */
export class Member {
  readonly proxy: CutProxy
  readonly #dir: TempDir
  readonly #fault: string
  #child: ChildServer | undefined

  constructor(proxy: CutProxy, dir: TempDir, fault: string) {
    this.proxy = proxy
    this.#dir = dir
    this.#fault = fault
    this.setClock(0)
  }

  get child(): ChildServer {
    if (this.#child === undefined) throw new Error('the process was not started')
    return this.#child
  }

  async start(): Promise<void> {
    this.#child = await startChild(this.#options, {
      runtime: ['--preload', CLOCK, '--preload', CHANGED_SOURCES],
      environment: { CLOCK_OFF: this.#clock, PLANTED_FAULT: this.#fault },
    })
  }

  /** Puts the clock of the process off. */
  setClock(milliseconds: number): void {
    writeFileSync(this.#clock, String(milliseconds))
  }

  async end(): Promise<void> {
    await this.#child?.kill()
    await this.proxy[Symbol.asyncDispose]()
    await this.#dir[Symbol.asyncDispose]()
  }

  get #clock(): string {
    return this.#dir.file('clock')
  }

  get #options(): DholeOptions {
    return {
      dataDir: this.#dir.path,
      failedCredentials: 0,
      database: { url: `postgres://dhole@127.0.0.1:${this.proxy.port}/postgres`, connections: 6, waitMs: WAIT_MS },
      applications: { app: { rules: rulesText(1), secret: SECRET, smsKey: SMS_KEY, sms: { intervalMs: 0 } } },
      storage: { inlineLength: 200, maxChanges: 100_000_000 },
    }
  }
}

/** Server processes on one PostgreSQL. */
export class Cluster implements AsyncDisposable {
  readonly members: Member[] = []
  postgres: OwnedPostgres

  private constructor(postgres: OwnedPostgres) {
    this.postgres = postgres
  }

  /** @param fault name of one of the planted faults; empty for none */
  static async start(processes: number, fault = ''): Promise<Cluster> {
    const cluster = new Cluster(await OwnedPostgres.create(POSTGRES))
    try {
      for (let at = 0; at < processes; at++) {
        const proxy = await CutProxy.listen(() => cluster.postgres.socket)
        cluster.members.push(new Member(proxy, await tempDir(), fault))
      }
      await Promise.all(cluster.members.map((member) => member.start()))
      return cluster
    } catch (error) {
      await cluster[Symbol.asyncDispose]()
      throw error
    }
  }

  /** Any process, whether it runs or not. */
  any(random: Random): Server {
    return this.member(random).child
  }

  member(random: Random): Member {
    const member = this.members[random.below(this.members.length)]
    if (member === undefined) throw new Error('no process')
    return member
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.members.map((member) => member.end()))
    await this.postgres[Symbol.asyncDispose]()
  }
}
