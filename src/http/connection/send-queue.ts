import { readFile } from 'node:fs/promises'
import type { Peer } from './peer.ts'

/** State of an open connection in the tables of the system. */
const ESTABLISHED = '01'
/** Addresses look like ` 0100007F:1F90 `; the local address precedes that of the peer. */
const PORT_DIGITS = 4
/** Bytes in the queue, in hex digits after the state. */
const QUEUE_DIGITS = 8
const MAPPED = '::ffff:'

/**
 * Bytes of a connection that the peer's system has not acknowledged yet, sent or not.
 * @param localPort port of the server: a peer may use one of its ports for several
 * @returns `undefined` where the system does not report it, or the connection has ended
 */
export async function sendQueueOf(peer: Peer, localPort?: number): Promise<number | undefined> {
  const ours = localPort === undefined ? '' : hexPort(localPort)
  for (const [table, address] of namesOf(peer.address)) {
    const queued = queueIn(await table.text(), `${address}:${hexPort(peer.port)}`, ours)
    if (queued !== undefined) return queued
  }
  return undefined
}

/** A table of connections. Concurrent callers share one read, because a long table is slow to read. */
class ConnectionTable {
  readonly #file: string
  #reading: Promise<unknown> = Promise.resolve()
  #next: Promise<string> | undefined

  constructor(file: string) {
    this.#file = file
  }

  /** Its text, read after this call: an earlier read may have passed the connection already. Empty without a table. */
  text(): Promise<string> {
    this.#next ??= this.#reading.then(() => {
      this.#next = undefined
      const reading = readFile(this.#file, 'latin1').catch(() => '')
      this.#reading = reading
      return reading
    })
    return this.#next
  }
}

const tableOf4 = new ConnectionTable('/proc/net/tcp')
const tableOf6 = new ConnectionTable('/proc/net/tcp6')

/** Tables that may list an address, and its form there: IPv6 sockets accept IPv4 connections too. */
function namesOf(address: string): readonly (readonly [ConnectionTable, string])[] {
  const plain = address.toLowerCase().startsWith(MAPPED) ? address.slice(MAPPED.length) : address
  const bytes = bytesOf4(plain)
  if (bytes === undefined) return [[tableOf6, hexWords(bytesOf6(plain))]]
  return [
    [tableOf4, hexWords(bytes)],
    [tableOf6, hexWords([...new Array<number>(10).fill(0), 0xff, 0xff, ...bytes])],
  ]
}

function bytesOf4(address: string): readonly number[] | undefined {
  return /^\d{1,3}(\.\d{1,3}){3}$/.test(address) ? address.split('.').map(Number) : undefined
}

/** @param address in full or with one `::`, perhaps with a zone */
function bytesOf6(address: string): readonly number[] {
  const [head = '', tail] = address.replace(/%.*$/, '').split('::')
  const [before, after] = [groupsOf(head), groupsOf(tail ?? '')]
  const between = new Array<number>(Math.max(0, 8 - before.length - after.length)).fill(0)
  return [...before, ...between, ...after].flatMap((group) => [group >> 8, group & 0xff])
}

function groupsOf(text: string): readonly number[] {
  return text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16))
}

/** Addresses as the tables write them: words of four bytes in little-endian order. */
function hexWords(bytes: readonly number[]): string {
  let text = ''
  for (let start = 0; start < bytes.length; start += 4) {
    const word = bytes.slice(start, start + 4).reverse()
    text += word.map((byte) => byte.toString(16).padStart(2, '0')).join('')
  }
  return text.toUpperCase()
}

function hexPort(port: number): string {
  return port.toString(16).toUpperCase().padStart(PORT_DIGITS, '0')
}

/** @param ours port of the server in hex; empty for any */
function queueIn(table: string, peer: string, ours: string): number | undefined {
  // Only the address of the peer is followed by a state.
  const sought = ` ${peer} ${ESTABLISHED} `
  for (let at = table.indexOf(sought); at !== -1; at = table.indexOf(sought, at + 1)) {
    if (!table.slice(at - ours.length, at).endsWith(ours)) continue
    const start = at + sought.length
    const queued = Number.parseInt(table.slice(start, start + QUEUE_DIGITS), 16)
    return Number.isNaN(queued) ? undefined : queued
  }
  return undefined
}
