import type * as App from '@firebase/app'
import type * as Database from '@firebase/database'
import type { ChildEvent, Client, ClientOptions, Load, Sdk, Seen, Step, TokenSource } from './client.ts'

const LISTENERS = {
  value: 'onValue',
  child_added: 'onChildAdded',
  child_changed: 'onChildChanged',
  child_moved: 'onChildMoved',
  child_removed: 'onChildRemoved',
} as const satisfies Record<ChildEvent, keyof typeof Database>

/** The functions of `firebase/app` and `firebase/database`, since version 9. */
export function modular(load: Load): Sdk {
  const app = load('@firebase/app') as typeof App
  const database = load('@firebase/database') as typeof Database
  let clients = 0
  const connect = (url: string, { token, emulatorPort }: ClientOptions = {}): Client => {
    const made = app.initializeApp({ databaseURL: url, projectId: 'app' }, `client ${clients++}`)
    if (token !== undefined) provideTokens(made, app, load, token)
    const db = database.getDatabase(made)
    if (emulatorPort !== undefined) database.connectDatabaseEmulator(db, 'localhost', emulatorPort)
    return clientOf(database, db, () => app.deleteApp(made))
  }
  return { connect, timestamp: database.serverTimestamp(), increment: database.increment }
}

function clientOf(database: typeof Database, db: Database.Database, stop: () => Promise<unknown>): Client {
  const ref = (path: string) => database.ref(db, path)
  const query = (path: string, steps: readonly Step[] = []) =>
    database.query(ref(path), ...steps.map(([method, ...args]) => constraint(database, method, args)))
  return {
    set: (path, value) => database.set(ref(path), value),
    update: (path, values) => database.update(ref(path), values),
    remove: (path) => database.remove(ref(path)),
    push: (path, value) => {
      const made = database.push(ref(path), value)
      return { key: made.key ?? '', done: Promise.resolve(made) }
    },
    setWithPriority: (path, value, priority) => database.setWithPriority(ref(path), value, priority as never),
    setPriority: (path, priority) => database.setPriority(ref(path), priority as never),
    get: async (path, steps) => seenOf(await database.get(query(path, steps))),
    once: (path, steps) =>
      new Promise((resolve, reject) => {
        database.onValue(query(path, steps), (seen) => resolve(seenOf(seen)), reject, { onlyOnce: true })
      }),
    on: (path, event, listener, { steps, cancelled = () => {} } = {}) =>
      database[LISTENERS[event]](
        query(path, steps),
        (seen: Database.DataSnapshot, previous?: string | null) => listener(seenOf(seen, previous)),
        cancelled,
      ),
    transaction: async (path, update) => {
      const { committed, snapshot } = await database.runTransaction(ref(path), update as never)
      return { committed, value: snapshot.val() }
    },
    onDisconnect: (path) => database.onDisconnect(ref(path)),
    goOffline: () => database.goOffline(db),
    goOnline: () => database.goOnline(db),
    stop,
  }
}

function constraint(database: typeof Database, method: string, args: readonly unknown[]): Database.QueryConstraint {
  const make = database[method as 'orderByChild'] as (...args: readonly unknown[]) => Database.QueryConstraint
  return make(...args)
}

function seenOf(snapshot: Database.DataSnapshot, previous?: string | null): Seen {
  const { key, priority } = snapshot
  return {
    key,
    value: snapshot.val(),
    priority,
    exported: snapshot.exportVal(),
    // Asked for when it is needed: the snapshot of a child that a query has lost fails here.
    get children() {
      const children: (string | null)[] = []
      snapshot.forEach((child) => {
        children.push(child.key)
      })
      return children
    },
    previous,
  }
}

/** What packages of the SDK tell each other about themselves. */
interface Components {
  readonly Component: new (name: string, make: () => unknown, type: 'PRIVATE') => object
}

/** Registers what `firebase/auth` registers for other packages. */
function provideTokens(made: App.FirebaseApp, app: typeof App, load: Load, token: TokenSource): void {
  const { Component: Made } = load('@firebase/component') as Components
  const listeners = new Set<(token: string | null) => void>()
  const auth = {
    getUid: () => null,
    getToken: async (isForced?: boolean) => {
      const accessToken = await token(isForced === true)
      return accessToken === null ? null : { accessToken }
    },
    addAuthTokenListener: (listener: (token: string | null) => void) => {
      listeners.add(listener)
      void token(false).then(listener)
    },
    removeAuthTokenListener: (listener: (token: string | null) => void) => listeners.delete(listener),
  }
  const { _addComponent: add } = app as unknown as { _addComponent(app: App.FirebaseApp, component: object): void }
  add(made, new Made('auth-internal', () => auth, 'PRIVATE'))
}
