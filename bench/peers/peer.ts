/** What people would use instead of dhole. All of them are asked for the same work in the same words. */
import type { Place } from '../stock/places.ts'
import type { Certificate, Running, Target } from '../targets/target.ts'

/** What has become of a write when it is answered. */
export type Acknowledgement =
  | 'when it is durable'
  | 'when it is written to the file, not synced'
  | 'from memory, before the file is written'
  | 'from memory, nothing is written'

export interface Peer {
  readonly name: string
  /** What runs it, and the protocol it speaks by default. */
  readonly setting: string
  /** As its code has it. */
  readonly acknowledges: Acknowledgement
  version(): string
  /** Why it cannot be measured here. `undefined` when it can. */
  missing(): string | undefined
}

/** One request, as JSON can carry it. */
export interface PlainShot {
  readonly method: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

export interface ListSetup {
  /** An empty directory. */
  readonly dataDir: string
  readonly certificate: Certificate
  /** Length of the list of places. */
  readonly children: number
}

/** Keeps a list of places by key, with an index by name where it has indexes. */
export interface ListPeer extends Peer {
  start(setup: ListSetup): Promise<Running>
  /** Loads the list. Default: it is there from the start on. */
  fill?(running: Running, children: number): Promise<void>
  get(key: string): PlainShot
  put(key: string, place: Place): PlainShot
  /** The first so many places by name. */
  first(count: number): PlainShot
  /** What the answer to `get` says. */
  placeIn(answer: string): unknown
  /** What the answer to `first` says: keys and places, in the order of the answer. */
  placesIn(answer: string): readonly (readonly [key: string, place: unknown])[]
}

/** Tells many streams of what is posted to it. */
export interface StreamPeer extends Peer {
  /** @param scratchDir an empty directory */
  streams(certificate: Certificate, scratchDir: string): Target
}

export const JSON_HEADERS = { 'content-type': 'application/json' } as const

/** Why a package of npm cannot be used. `undefined` when it can. */
export function missingPackage(name: string): string | undefined {
  try {
    import.meta.resolve(name)
    return undefined
  } catch {
    return `the package ${name} is not installed`
  }
}

/** For the table: what it is, and what is to be known about it. */
export function describePeer(peer: Peer): string {
  const { name, setting, acknowledges } = peer
  const reason = peer.missing()
  if (reason !== undefined) return `${name}: not measured, ${reason}.`
  return `${name} ${peer.version()}: ${setting}; acknowledges a write ${acknowledges}.`
}
