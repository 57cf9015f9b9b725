/** Files of one run: a certificate and the data of each size, below the checkout so that they are on a real disk. */
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { generate } from 'selfsigned'
import { size } from '../report/numbers.ts'
import { buildApplications } from '../stock/applications.ts'
import { buildArchive } from '../stock/archive.ts'
import { buildTree, databaseFile } from '../stock/blogs.ts'
import { buildClub } from '../stock/club.ts'
import { buildMessages, buildUnreported, buildWaiting } from '../stock/messages.ts'
import { buildMixed } from '../stock/mixed.ts'
import { buildCovered, buildPlaces, buildTwins } from '../stock/places.ts'
import type { Certificate } from '../targets/target.ts'
import { BenchPostgres } from './postgres.ts'

const DATA_DIR = fileURLToPath(new URL('../data', import.meta.url))

/** Kinds of data directories: what makes one of a given size. */
const builders = {
  tree: buildTree,
  places: buildPlaces,
  covered: buildCovered,
  twins: buildTwins,
  mixed: buildMixed,
  club: buildClub,
  applications: buildApplications,
  messages: buildMessages,
  waiting: buildWaiting,
  unreported: buildUnreported,
  archive: buildArchive,
} as const
type Stock = keyof typeof builders

export class Workspace implements Disposable {
  readonly certificate: Certificate
  readonly #directory: string
  #postgres: Promise<BenchPostgres> | undefined
  /** Tells of what takes its time. */
  readonly announce: (news: string) => void

  /** Use `openWorkspace`. */
  constructor(directory: string, certificate: Certificate, announce: (news: string) => void) {
    this.#directory = directory
    this.certificate = certificate
    this.announce = announce
  }

  /** Makes the data directories of that kind that are not there yet. */
  async build(stock: Stock, sizes: readonly number[]): Promise<void> {
    for (const count of sizes) {
      if (existsSync(this.#dataDir(stock, count))) continue
      this.announce(`making ${stock} of ${size(count)}`)
      await builders[stock](this.#dataDir(stock, count), count)
    }
  }

  /** The tree of that many leaves, to be read only. */
  tree(leaves: number): string {
    return this.#dataDir('tree', leaves)
  }

  /** The lists of that many children, to be read only. */
  places(children: number): string {
    return this.#dataDir('places', children)
  }

  /** The list of that many children whose indexes cover, to be read only. */
  covered(children: number): string {
    return this.#dataDir('covered', children)
  }

  /** The two lists of that many children. */
  twins(children: number): string {
    return this.#dataDir('twins', children)
  }

  /** The tree of that many leaves beside a list of that many places, to be copied. */
  mixed(size: number): string {
    return this.#dataDir('mixed', size)
  }

  /** The tree of so many members, to be copied. */
  club(members: number): string {
    return this.#dataDir('club', members)
  }

  /** So many registered applications, to be served and only read. */
  applications(count: number): string {
    return this.#dataDir('applications', count)
  }

  /** So many messages whose final states have been handed over. */
  messages(count: number): string {
    return this.#dataDir('messages', count)
  }

  /** So many final states that nobody has been given, to be copied. */
  waiting(count: number): string {
    return this.#dataDir('waiting', count)
  }

  /** So many messages that no report has come about, to be copied. */
  unreported(count: number): string {
    return this.#dataDir('unreported', count)
  }

  /** A file of at least so many bytes, to be served and only read. */
  archive(bytes: number): string {
    return this.#dataDir('archive', bytes)
  }

  /** The PostgreSQL of the chapter that is measured, which is started when it is needed first. */
  postgres(): Promise<BenchPostgres> {
    this.#postgres ??= BenchPostgres.start(this.announce)
    return this.#postgres
  }

  /** Ends that PostgreSQL with all its data. */
  async endPostgres(): Promise<void> {
    const postgres = this.#postgres
    this.#postgres = undefined
    await (await postgres)?.[Symbol.asyncDispose]()
  }

  /** A directory for the database of AceBase with a list of that many children. */
  acebase(children: number): string {
    return join(this.#directory, `acebase-${size(children)}`)
  }

  /** Runs a measurement on a copy of a data directory and an empty directory, and removes both. */
  async withCopy<T>(original: string, measure: (dataDir: string, scratchDir: string) => Promise<T>): Promise<T> {
    return this.withCopies([original], ([dataDir = ''], scratchDir) => measure(dataDir, scratchDir))
  }

  /** The same on copies of several, in their order. */
  async withCopies<T>(
    originals: readonly string[],
    measure: (dataDirs: readonly string[], scratchDir: string) => Promise<T>,
  ): Promise<T> {
    return this.withScratch(async (scratchDir) => {
      const copies = originals.map((original, index) => {
        const dataDir = join(scratchDir, `copy-${index}`)
        mkdirSync(dirname(databaseFile(dataDir)), { recursive: true })
        cpSync(databaseFile(original), databaseFile(dataDir))
        return dataDir
      })
      return measure(copies, scratchDir)
    })
  }

  async withScratch<T>(measure: (scratchDir: string) => Promise<T>): Promise<T> {
    const scratchDir = mkdtempSync(join(this.#directory, 'scratch-'))
    try {
      return await measure(scratchDir)
    } finally {
      rmSync(scratchDir, { recursive: true })
    }
  }

  #dataDir(stock: Stock, count: number): string {
    return join(this.#directory, `${stock}-${size(count)}`)
  }

  [Symbol.dispose](): void {
    rmSync(this.#directory, { recursive: true, force: true })
  }
}

/** @param announce told of what is made before that takes its time */
export async function openWorkspace(announce: (news: string) => void): Promise<Workspace> {
  mkdirSync(DATA_DIR, { recursive: true })
  const names = [{ name: 'commonName', value: 'localhost' }]
  const { cert, private: key } = await generate(names, { keyType: 'ec' })
  return new Workspace(mkdtempSync(join(DATA_DIR, 'run-')), { cert, key }, announce)
}
