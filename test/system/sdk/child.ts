/**
 * A program as users of Firebase's JavaScript SDK write it. It runs in a process of its own, whose environment trusts the
 * certificate of the server.
 */
import { deleteApp, initializeApp } from '@firebase/app'
import {
  type DatabaseReference,
  get,
  getDatabase,
  goOffline,
  goOnline,
  increment,
  limitToLast,
  onChildAdded,
  onChildRemoved,
  onDisconnect,
  onValue,
  orderByChild,
  push,
  query,
  ref,
  remove,
  runTransaction,
  serverTimestamp,
  set,
  setWithPriority,
  update,
} from '@firebase/database'

const [url = '', scenario = '', argument = ''] = process.argv.slice(2)

function connect(name: string) {
  const app = initializeApp({ databaseURL: url }, name)
  return { db: getDatabase(app), stop: () => deleteApp(app) }
}

/** Resolves at the first value that fits. */
function awaited<T>(where: DatabaseReference, fits: (value: T) => boolean): Promise<T> {
  const { promise, resolve } = Promise.withResolvers<T>()
  const stop = onValue(where, (snapshot) => {
    if (fits(snapshot.val())) resolve(snapshot.val())
  })
  return promise.finally(stop)
}

const scenarios: Readonly<Record<string, () => Promise<unknown>>> = {
  /** Values of every kind there and back. */
  async values() {
    const { db } = connect('one')
    const where = ref(db, 'values')
    const value = { text: 'päivä 狗 🐕', number: 1.5, yes: true, list: [1, 2, 3], deep: { a: { b: 'c' } } }
    await set(where, value)
    await setWithPriority(ref(db, 'ranked'), { a: 1 }, 5)
    await update(where, { 'deep/a/b': 'd', number: increment(2), at: serverTimestamp() })
    const large = 'x'.repeat(5_000_000)
    await set(ref(db, 'large'), large)
    const { at, ...rest } = (await get(where)).val()
    const ranked = await get(ref(db, 'ranked'))
    const isLarge = (await get(ref(db, 'large'))).val() === large
    return { rest, isTime: typeof at === 'number', priority: ranked.priority, isLarge }
  },

  /** What one client sees of what another one writes. */
  async live() {
    const [one, two] = [connect('one'), connect('two')]
    const seen: string[] = []
    const window = query(ref(one.db, 'scores'), orderByChild('points'), limitToLast(2))
    onChildAdded(window, (child) => seen.push(`+${child.key}`))
    onChildRemoved(window, (child) => seen.push(`-${child.key}`))
    await set(ref(two.db, 'scores'), { a: { points: 1 }, b: { points: 2 }, c: { points: 3 } })
    await awaited<object>(ref(one.db, 'scores'), (value) => value !== null)
    await set(ref(two.db, 'scores/d'), { points: 4 })
    await remove(ref(two.db, 'scores/d'))
    await push(ref(two.db, 'done'), true)
    await awaited(ref(one.db, 'done'), (value) => value !== null)
    return seen
  },

  /** Writes while offline arrive later, in order. */
  async offline() {
    const { db } = connect('one')
    await set(ref(db, 'offline'), { n: 0 })
    goOffline(db)
    const written = [1, 2, 3].map((n) => update(ref(db, 'offline'), { n, [`w${n}`]: true }))
    goOnline(db)
    await Promise.all(written)
    return (await get(ref(db, 'offline'))).val()
  },

  /** Several clients count together. */
  async transactions() {
    const clients = Array.from({ length: 4 }, (_, index) => connect(`client ${index}`))
    const each = Number(argument)
    const outcomes = await Promise.allSettled(
      clients.flatMap(({ db }) =>
        Array.from({ length: each }, () => runTransaction(ref(db, 'count'), (count) => (count ?? 0) + 1)),
      ),
    )
    const failed = outcomes.filter(({ status }) => status === 'rejected').length
    const { db } = connect('last')
    return { failed, count: (await get(ref(db, 'count'))).val() }
  },

  /** Leaves something behind, says so, and waits to be killed. */
  async presence() {
    const { db } = connect('one')
    await onDisconnect(ref(db, `online/${argument}`)).set('gone')
    await set(ref(db, `online/${argument}`), 'here')
    process.stdout.write('"here"\n')
    return new Promise(() => {})
  },
}

process.stdout.write(JSON.stringify(await scenarios[scenario]?.()), () => process.exit(0))
