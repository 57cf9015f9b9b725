import { type BunSQLiteDatabase, drizzle } from 'drizzle-orm/bun-sqlite'
import { Client } from './client.ts'

/** A connection to the file of a tree: Drizzle, and its client for hot statements and pragmas. */
export interface Connection {
  readonly client: Client
  readonly orm: BunSQLiteDatabase
}

const BUSY_TIMEOUT_MS = 5000
const PAGE_BYTES = 4096
/** Negative: kibibytes, SQLite's notation. */
const WRITER_CACHE = -65_536
const READER_CACHE = -49_152
/** For one long read that uses each page once. */
const SCAN_CACHE = -4096

/** Opens the connection that writes. Its commits are not synced; the group commit syncs the log. */
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

/** For a large transaction: SQLite moves pages to the log while it runs, not all with the commit. */
export function setSpilling({ client }: Connection, isSpilling: boolean): void {
  client.run(`PRAGMA cache_size = ${isSpilling ? SCAN_CACHE : WRITER_CACHE}`)
}

/** For a read of a large tree: its pages are not worth caching. */
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
