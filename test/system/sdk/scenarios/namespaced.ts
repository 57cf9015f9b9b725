import type { ChildEvent, Client, Load, Sdk, Seen, Step } from './client.ts'

/** A place, or a query of it, as all versions before 9 have it. */
interface Reference {
  readonly key: string | null | (() => string | null)
  set(value: unknown): Promise<unknown>
  update(values: object): Promise<unknown>
  remove(): Promise<unknown>
  push(value: unknown): Reference & PromiseLike<unknown>
  setWithPriority(value: unknown, priority: unknown): Promise<unknown>
  setPriority(priority: unknown): Promise<unknown>
  get?(): Promise<Snapshot>
  once(event: 'value'): Promise<Snapshot>
  on(event: ChildEvent, listener: Listener, cancelled?: (error: Error) => void): Listener
  off(event: ChildEvent, listener: Listener): void
  transaction(update: (value: never) => unknown): Promise<{ committed: boolean; snapshot: Snapshot }>
  onDisconnect(): ReturnType<Client['onDisconnect']>
}

type Listener = (snapshot: Snapshot, previous?: string | null) => void

interface Snapshot {
  readonly key: string | null | (() => string | null)
  val(): unknown
  exportVal(): unknown
  getPriority(): unknown
  forEach(each: (child: Snapshot) => void): void
}

/** What a client of these versions is made of. */
export interface NamespacedParts {
  ref(path: string): unknown
  goOffline(): void
  goOnline(): void
  stop(): Promise<unknown>
}

interface NamespacedDatabase {
  useEmulator(host: string, port: number): void
  ref(path: string): unknown
  goOffline(): void
  goOnline(): void
}

interface Firebase {
  initializeApp(options: object, name: string): { database(): NamespacedDatabase; delete(): Promise<unknown> }
  readonly database: { readonly ServerValue: { readonly TIMESTAMP: object; increment?(delta: number): object } }
}

/** The object `firebase` of versions 3 to 8, and `firebase/compat` since 9. */
export function namespaced(load: Load): Sdk {
  const firebase = firebaseOf(load)
  const { TIMESTAMP: timestamp, increment = notThere } = firebase.database.ServerValue
  let clients = 0
  return {
    connect: (databaseURL, { emulatorPort } = {}) => {
      const app = firebase.initializeApp({ databaseURL, projectId: 'app' }, `client ${clients++}`)
      const db = app.database()
      if (emulatorPort !== undefined) db.useEmulator('localhost', emulatorPort)
      return namespacedClient({
        ref: (path) => db.ref(path),
        goOffline: () => db.goOffline(),
        goOnline: () => db.goOnline(),
        stop: () => app.delete(),
      })
    },
    timestamp,
    increment,
  }
}

export function notThere(): never {
  throw new Error('this version cannot increment')
}

function firebaseOf(load: Load): Firebase {
  for (const suffix of ['-compat', '']) {
    try {
      const loaded = load(`@firebase/app${suffix}`) as { readonly default: Firebase }
      load(`@firebase/database${suffix}`)
      return loaded.default
    } catch (error) {
      if (suffix === '') throw error
    }
  }
  throw new Error('not reached')
}

export function namespacedClient({ ref: refOf, goOffline, goOnline, stop }: NamespacedParts): Client {
  const ref = (path: string) => refOf(path) as Reference
  const query = (path: string, steps: readonly Step[] = []) =>
    steps.reduce((at, [method, ...args]) => {
      const step = at[method as 'once'] as unknown as (...args: readonly unknown[]) => Reference
      return step.apply(at, args as never)
    }, ref(path))
  return {
    set: (path, value) => ref(path).set(value),
    update: (path, values) => ref(path).update(values),
    remove: (path) => ref(path).remove(),
    push: (path, value) => {
      const made = ref(path).push(value)
      return { key: keyOf(made) ?? '', done: Promise.resolve(made) }
    },
    setWithPriority: (path, value, priority) => ref(path).setWithPriority(value, priority),
    setPriority: (path, priority) => ref(path).setPriority(priority),
    get: async (path, steps) => {
      const at = query(path, steps)
      return seenOf(await (at.get?.() ?? at.once('value')))
    },
    once: async (path, steps) => seenOf(await query(path, steps).once('value')),
    on: (path, event, listener, { steps, cancelled } = {}) => {
      const at = query(path, steps)
      const added = at.on(event, (snapshot, previous) => listener(seenOf(snapshot, previous)), cancelled)
      return () => at.off(event, added)
    },
    transaction: async (path, update) => {
      const { committed, snapshot } = await ref(path).transaction(update)
      return { committed, value: snapshot.val() }
    },
    onDisconnect: (path) => ref(path).onDisconnect(),
    goOffline,
    goOnline,
    stop,
  }
}

function keyOf(of: { readonly key: string | null | (() => string | null) }): string | null {
  // A method in version 2.
  return typeof of.key === 'function' ? of.key() : of.key
}

function seenOf(snapshot: Snapshot, previous?: string | null): Seen {
  return {
    key: keyOf(snapshot),
    value: snapshot.val(),
    priority: snapshot.getPriority(),
    exported: snapshot.exportVal(),
    // Asked for when it is needed: the snapshot of a child that a query has lost fails here.
    get children() {
      const children: (string | null)[] = []
      snapshot.forEach((child) => {
        children.push(keyOf(child))
      })
      return children
    },
    previous,
  }
}
