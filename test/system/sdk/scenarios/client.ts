/** A step of a query, such as `['orderByChild', 'points']`: a method of every SDK. */
export type Step = readonly [method: string, ...args: readonly unknown[]]

export type ChildEvent = 'value' | 'child_added' | 'child_changed' | 'child_moved' | 'child_removed'

/** What an SDK hands to listeners. */
export interface Seen {
  readonly key: string | null
  readonly value: unknown
  readonly priority: unknown
  /** With priorities. */
  readonly exported: unknown
  /** Keys of the children, in order. */
  readonly children: readonly (string | null)[]
  /** The key in front, for events of children. */
  readonly previous: string | null | undefined
}

/** What is left when a client has gone. */
interface Leaving {
  set(value: unknown): Promise<unknown>
  update(values: object): Promise<unknown>
  remove(): Promise<unknown>
  cancel(): Promise<unknown>
}

/** One client of an SDK, by the names of none of its versions. Paths have no slash in front. */
export interface Client {
  set(path: string, value: unknown): Promise<unknown>
  update(path: string, values: object): Promise<unknown>
  remove(path: string): Promise<unknown>
  /** @returns the generated key, and the promise of the write */
  push(path: string, value: unknown): { readonly key: string; readonly done: Promise<unknown> }
  setWithPriority(path: string, value: unknown, priority: unknown): Promise<unknown>
  setPriority(path: string, priority: unknown): Promise<unknown>
  /** Reads once: by `get` where the SDK has it. */
  get(path: string, steps?: readonly Step[]): Promise<Seen>
  /** Reads once, by a listener. */
  once(path: string, steps?: readonly Step[]): Promise<Seen>
  /** @returns ends it */
  on(path: string, event: ChildEvent, listener: (seen: Seen) => void, options?: ListenerOptions): () => void
  transaction(path: string, update: (value: never) => unknown): Promise<{ committed: boolean; value: unknown }>
  onDisconnect(path: string): Leaving
  goOffline(): void
  goOnline(): void
  /** Of the admin SDK. */
  readonly rules?: { get(): Promise<object>; set(rules: object): Promise<unknown> }
  /** Disconnects for good. */
  stop(): Promise<unknown>
}

interface ListenerOptions {
  readonly steps?: readonly Step[]
  readonly cancelled?: (error: Error) => void
}

/** Gives tokens to an SDK as its own sign-in does. @param isForced whether the last one was refused */
export type TokenSource = (isForced: boolean) => Promise<string | null>

export interface ClientOptions {
  readonly token?: TokenSource
  /** Port of a plain listener on this machine, as emulators have. The admin SDK takes it from the environment. */
  readonly emulatorPort?: number | undefined
  /** Token that an emulator is given, or the user of one that the SDK makes. */
  readonly mockUserToken?: string | { readonly sub: string; readonly role?: string }
  /** Acts by the rules as this user: admin SDK. */
  readonly override?: object | null
}

/** A version of an SDK. */
export interface Sdk {
  /** @param url as `databaseURL` */
  connect(url: string, options?: ClientOptions): Client
  /** Server value, as the SDK names it. */
  readonly timestamp: object
  readonly increment: (delta: number) => object
}

/** Loads a package of the SDK. */
export type Load = (name: string) => unknown

export type Adapter = (load: Load) => Sdk
