import { readFile } from 'node:fs/promises'
import type { Peer } from './peer.ts'

/** A connection that both sides have open, as the tables of the system write it. */
const ESTABLISHED = '01'
/** ` 0100007F:1F90 ` and so on: the address we listen at stands right before that of the peer. */
const PORT_DIGITS = 4
/** The number that follows the state: bytes in the queue, in hex. */
const QUEUE_DIGITS = 8
const MAPPED = '::ffff:'

/**
 * Bytes of a connection that the system of the peer has not confirmed yet, sent or not.
 * @param localPort of our end: a peer may use one port of its own for several of ours
 * @returns `undefined` when this system does not tell, or has no such connection any more
 */
export async function sendQueueOf(peer: Peer, localPort?: number): Promise<number | undefined> {
  const ours = localPort === undefined ? '' : hexPort(localPort)
  for (const [table, address] of namesOf(peer.address)) {
    const queued = queueIn(await table.text(), `${address}:${hexPort(peer.port)}`, ours)
    if (queued !== undefined) return queued
  }
  return undefined
}

/** A table of connections. Whoever asks at the same time shares one reading: a long table takes its time. */
class ConnectionTable {
  readonly #file: string
  #underWay: Promise<unknown> = Promise.resolve()
  #next: Promise<string> | undefined

  constructor(file: string) {
    this.#file = file
  }

  /** Its text, read after this call: a reading under way may have passed the connection already. Empty without one. */
  text(): Promise<string> {
    this.#next ??= this.#underWay.then(() => {
      this.#next = undefined
      const reading = readFile(this.#file, 'latin1').catch(() => '')
      this.#underWay = reading
      return reading
    })
    return this.#next
  }
}

const tableOf4 = new ConnectionTable('/proc/net/tcp')
const tableOf6 = new ConnectionTable('/proc/net/tcp6')

/** Where an address may stand, and as what: a socket for IPv6 takes connections of IPv4 too. */
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

/** As the tables write addresses: words of four bytes as the machine has them, which all machines of ours have reversed. */
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

/** @param ours port of our end in hex; empty: any */
function queueIn(table: string, peer: string, ours: string): number | undefined {
  // Only the far end is followed by a state.
  const sought = ` ${peer} ${ESTABLISHED} `
  for (let at = table.indexOf(sought); at !== -1; at = table.indexOf(sought, at + 1)) {
    if (!table.slice(at - ours.length, at).endsWith(ours)) continue
    const start = at + sought.length
    const queued = Number.parseInt(table.slice(start, start + QUEUE_DIGITS), 16)
    return Number.isNaN(queued) ? undefined : queued
  }
  return undefined
}
