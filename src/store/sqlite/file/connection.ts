import { type BunSQLiteDatabase, drizzle } from 'drizzle-orm/bun-sqlite'
import { Client } from './client.ts'

/** One connection to a tree's file: Drizzle on top, and the client for what must be fast or is no query. */
export interface Connection {
  readonly client: Client
  readonly orm: BunSQLiteDatabase
}

const BUSY_TIMEOUT_MS = 5000
const PAGE_BYTES = 4096
/** Negative: kibibytes, SQLite's notation. */
const WRITER_CACHE = -65_536
const READER_CACHE = -49_152
/** For one long reading that comes to no page twice. */
const SCAN_CACHE = -4096

/** Opens the connection that writes. Its commits are not synced: the pipeline does that. */
export function connectWriter(file: string): Connection {
  const client = new Client(file, { create: true, readwrite: true })
  client.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`)
  client.run(`PRAGMA page_size = ${PAGE_BYTES}`)
  client.run('PRAGMA journal_mode = WAL')
  client.run('PRAGMA wal_autocheckpoint = 0')
  client.run('PRAGMA temp_store = MEMORY')
  client.run(`PRAGMA cache_size = ${WRITER_CACHE}`)
  return { client, orm: drizzle(client) }
}

/** While a writer writes much in one transaction: pages go to the log on the way, not all of them with the commit. */
export function setSpilling({ client }: Connection, isSpilling: boolean): void {
  client.run(`PRAGMA cache_size = ${isSpilling ? SCAN_CACHE : WRITER_CACHE}`)
}

/** While a reader goes through a large tree once, what it has read is not worth its memory. */
export function setScanning({ client }: Connection, isPassing: boolean): void {
  client.run(`PRAGMA cache_size = ${isPassing ? SCAN_CACHE : READER_CACHE}`)
}

export function connectReader(file: string): Connection {
  const client = new Client(file, { readonly: true })
  client.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`)
  client.run('PRAGMA temp_store = MEMORY')
  client.run(`PRAGMA cache_size = ${READER_CACHE}`)
  return { client, orm: drizzle(client) }
}
