/**
 * A program as users of Wilddog's JavaScript SDKs write it. It runs in a process of its own, whose environment trusts the
 * certificate of the server.
 */
import dns from 'node:dns'
import http from 'node:http'
import https from 'node:https'
import { createRequire } from 'node:module'

/** The part of both SDKs that is used here. */
interface Reference {
  child(path: string): Reference
  root(): Reference
  on(event: string, take: (snapshot: Snapshot) => void, cancel?: (error: CodedError) => void): void
  once(event: string, take: (snapshot: Snapshot) => void, cancel?: (error: CodedError) => void): void
  set(value: unknown, done: Done): void
  setWithPriority(value: unknown, priority: unknown, done: Done): void
  update(value: unknown, done: Done): void
  push(value: unknown, done: Done): { key(): string }
  remove(done: Done): void
  transaction(update: (now: number | null) => unknown, done: Done): void
  onDisconnect(): Pick<Reference, 'set' | 'remove'>
  orderByChild(path: string): Reference
  orderByKey(): Reference
  startAt(bound: unknown): Reference
  limitToLast(count: number): Reference
  authWithCustomToken(token: string, done: Done): void
}
type Done = (error: CodedError | null, ...results: readonly unknown[]) => void
type CodedError = Error & { readonly code?: unknown }

interface Snapshot {
  val(): unknown
  key(): string
  getPriority(): unknown
}

/** What differs between the SDKs. */
interface Sdk {
  readonly reference: Reference
  readonly timestamp: unknown
  goOffline(): void
  goOnline(): void
  signIn(token: string): Promise<unknown>
}

const [version = '', port = '', scenario = '', argument = ''] = process.argv.slice(2)
const host = 'app.dhole.localhost'
const url = `https://${host}:${port}`
const require = createRequire(process.env['PACKAGES'] ?? import.meta.url)

/** Node asks the resolver of the system, which may not know names below localhost. */
function resolveLocally(): void {
  const { lookup } = dns
  const local = (name: string, options: unknown, done: (...found: unknown[]) => void) => {
    if (!name.endsWith('.localhost')) return Reflect.apply(lookup, dns, [name, options, done])
    const isAll = typeof options === 'object' && (options as { all?: boolean }).all === true
    process.nextTick(() => (isAll ? done(null, [{ address: '127.0.0.1', family: 4 }]) : done(null, '127.0.0.1', 4)))
  }
  dns.lookup = local as typeof lookup
}

/** Sends what is meant for hosts of Wilddog to the server: SDK 2 asks them where to connect, and signs users in there. */
function redirect(): void {
  const { request } = http
  const { request: secureRequest } = https
  const redirected =
    (original: typeof request) =>
    (options: https.RequestOptions, ...rest: never[]) =>
      options.host?.endsWith('.wilddog.com') === true
        ? secureRequest({ ...options, host, port }, ...rest)
        : original(options, ...rest)
  http.request = redirected(request) as typeof request
  https.request = redirected(secureRequest) as typeof secureRequest
}

function connect(): Sdk {
  if (version === '0.7') {
    const Wilddog = require('wilddog-0.7')
    const reference: Reference = new Wilddog(url)
    return {
      reference,
      timestamp: Wilddog.ServerValue.TIMESTAMP,
      goOffline: Wilddog.goOffline,
      goOnline: Wilddog.goOnline,
      signIn: (token) => done((end) => reference.authWithCustomToken(token, end)).then(([result]) => result),
    }
  }
  const wilddog = require('wilddog-2.5')
  const app = wilddog.initializeApp({ syncURL: url, authDomain: 'app.wilddog.com' })
  const sync = app.sync()
  return {
    reference: sync.ref(),
    timestamp: sync.ServerValue.TIMESTAMP,
    goOffline: () => sync.goOffline(),
    goOnline: () => sync.goOnline(),
    signIn: (token) => app.auth().signInWithCustomToken(token),
  }
}

/** Resolves with the results that a call passes to its callback. */
function done(call: (end: Done) => unknown): Promise<readonly unknown[]> {
  return new Promise((resolve, reject) => call((error, ...results) => (error ? reject(error) : resolve(results))))
}

const valueAt = (where: Reference) =>
  new Promise<Snapshot>((resolve, reject) => where.once('value', resolve, reject)).then((snapshot) => snapshot.val())

/** Resolves at the first value that fits. */
const awaited = (where: Reference, fits: (value: unknown) => boolean) =>
  new Promise<unknown>((resolve) => where.on('value', (snapshot) => fits(snapshot.val()) && resolve(snapshot.val())))

const failureOf = async (work: Promise<unknown>) => {
  const error: CodedError = await work.then(
    () => new Error('no error'),
    (thrown) => thrown,
  )
  return { code: error.code, message: error.message }
}

/** A write of another client. */
const written = (path: string, value: unknown) =>
  fetch(`https://localhost:${port}${path}.json?print=silent`, { method: 'PUT', body: JSON.stringify(value) })

const say = (text: string) => process.stdout.write(`${JSON.stringify(text)}\n`)

resolveLocally()
redirect()
const sdk = connect()
const root = sdk.reference

const scenarios: Readonly<Record<string, () => Promise<unknown>>> = {
  /** Values of every kind there and back. */
  async values() {
    const where = root.child('values')
    const value = { text: 'päivä 狗 🐕', number: 1.5, yes: true, list: [1, 2, 3], deep: { a: { b: 'c' } } }
    await done((end) => where.set(value, end))
    await done((end) => root.child('ranked').setWithPriority({ a: 1 }, 5, end))
    await done((end) => where.update({ number: 2, at: sdk.timestamp }, end))
    await done((end) => where.child('deep/a').remove(end))
    const pushed = root.child('list').push('one', () => {})
    const { at, ...rest } = (await valueAt(where)) as { at: unknown }
    const ranked = await new Promise<Snapshot>((resolve) => root.child('ranked').once('value', resolve))
    const offset = await valueAt(root.child('.info/serverTimeOffset'))
    return {
      ...{ rest, isTime: typeof at === 'number', priority: ranked.getPriority(), isOffset: typeof offset === 'number' },
      isPushed: pushed !== undefined && (await valueAt(root.child('list'))) !== null,
    }
  },

  /** A text of 5 MB there and back. */
  async large() {
    const large = 'dhole 狗 '.repeat(500_000)
    await done((end) => root.child('large').set(large, end))
    const response = await fetch(`https://localhost:${port}/large.json`)
    const isStored = (await response.json()) === large
    sdk.goOffline()
    sdk.goOnline()
    await written('/small', 1)
    await valueAt(root.child('small'))
    await written('/large', { copy: large })
    return { isStored, isRead: (await valueAt(root.child('large/copy'))) === large }
  },

  /** What one client sees of what another one writes. */
  async live() {
    const seen: string[] = []
    const keyOf = (snapshot: Snapshot) => (typeof snapshot.key === 'function' ? snapshot.key() : snapshot.key)
    const window = root.child('scores').orderByChild('points').limitToLast(2)
    window.on('child_added', (child) => seen.push(`+${keyOf(child)}`))
    window.on('child_removed', (child) => seen.push(`-${keyOf(child)}`))
    window.on('child_changed', (child) => seen.push(`~${keyOf(child)}`))
    await valueAt(window)
    await written('/scores', { a: { points: 1 }, b: { points: 2 }, c: { points: 3 } })
    await awaited(window, (value) => value !== null)
    await written('/scores/d', { points: 4 })
    await written('/scores/c/text', 'changed')
    await written('/scores/d', null)
    await written('/end', true)
    await awaited(root.child('end'), (value) => value === true)
    const from = await valueAt(root.child('scores').orderByKey().startAt('b'))
    return { seen, from }
  },

  /** Writes while offline arrive later, in order. */
  async offline() {
    const where = root.child('offline')
    const connected: unknown[] = []
    root.child('.info/connected').on('value', (snapshot) => connected.push(snapshot.val()))
    await done((end) => where.set({ n: 0 }, end))
    sdk.goOffline()
    const writes = [1, 2, 3].map((n) => done((end) => where.update({ n, [`w${n}`]: true }, end)))
    sdk.goOnline()
    await Promise.all(writes)
    return { value: await valueAt(where), connected }
  },

  /** Counts, while others do. */
  async count() {
    const one = () => done((end) => root.child('count').transaction((now) => (now ?? 0) + 1, end))
    const outcomes = await Promise.allSettled(Array.from({ length: Number(argument) }, one))
    return outcomes.filter(({ status }) => status === 'rejected').length
  },

  /** Leaves something behind, says so, and waits to be killed. */
  async presence() {
    await done((end) => root.child('online/ann').onDisconnect().set('gone', end))
    await done((end) => root.child('online/ann').set('here', end))
    say('here')
    return new Promise(() => {})
  },

  /** Goes on when the token has expired. */
  async expiry() {
    await sdk.signIn(argument)
    await done((end) => root.child('online/ann').onDisconnect().set('gone', end))
    await done((end) => root.child('online/ann').set('here', end))
    await awaited(root.child('.info/authenticated'), (value) => value === false)
    await awaited(root.child('online/ann'), (value) => value === 'gone')
    return failureOf(done((end) => root.child('online/ann').set('back', end)))
  },

  /** Reads and writes what only a user may. */
  async auth() {
    const mine = root.child('notes/ann')
    const before = await failureOf(done((end) => mine.set('no', end)))
    const unread = await failureOf(valueAt(mine))
    const refused = await failureOf(sdk.signIn(`${argument}x`))
    await sdk.signIn(argument)
    await done((end) => mine.set('yes', end))
    return { before, unread, refused, value: await valueAt(mine) }
  },
}

process.stdout.write(JSON.stringify(await scenarios[scenario]?.()), () => process.exit(0))
