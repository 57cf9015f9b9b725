/** A program of a web page. The test bundles it, and calls its functions. */
import { initializeApp } from '@firebase/app'
import {
  forceLongPolling,
  get,
  getDatabase,
  onDisconnect,
  onValue,
  push,
  ref,
  runTransaction,
  set,
  update,
} from '@firebase/database'

const page = globalThis as unknown as Record<string, unknown>

function connect(url: string, way: 'polling' | 'any') {
  if (way === 'polling') forceLongPolling()
  return getDatabase(initializeApp({ databaseURL: url }, crypto.randomUUID()))
}

page['run'] = async (url: string, way: 'polling' | 'any') => {
  const db = connect(url, way)
  const seen: unknown[] = []
  const shown = Promise.withResolvers<void>()
  onValue(ref(db, 'page/n'), (snapshot) => {
    seen.push(snapshot.val())
    if (snapshot.val() === 4) shown.resolve()
  })
  await set(ref(db, 'page'), { n: 1, text: 'päivä 狗 🐕'.repeat(1000) })
  await update(ref(db, 'page'), { n: 2 })
  await runTransaction(ref(db, 'page/n'), (n) => (n ?? 0) + 1)
  const text = (await get(ref(db, 'page/text'))).val()
  await set(ref(db, 'page/n'), 4)
  await shown.promise
  return { seen, isSame: text === 'päivä 狗 🐕'.repeat(1000) }
}

/** Leaves the page as soon as the SDK has opened a socket. */
page['leaveInTheMiddle'] = async (url: string, mark: string) => {
  onValue(ref(connect(url, 'any'), 'page'), () => {})
  while (localStorage.getItem(mark) === null) await new Promise((resolve) => setTimeout(resolve))
  ;(page['location'] as { reload(): void }).reload()
}

/** Is present as long as the page is open. */
page['appear'] = async (url: string, way: 'polling' | 'any') => {
  const db = connect(url, way)
  const own = push(ref(db, 'tabs'))
  await onDisconnect(own).remove()
  await set(own, true)
  page['tabs'] = 0
  onValue(ref(db, 'tabs'), (snapshot) => {
    page['tabs'] = snapshot.size
  })
  page['say'] = (text: string) => set(ref(db, 'said'), text)
  page['hear'] = () =>
    new Promise((resolve) => onValue(ref(db, 'said'), (snapshot) => snapshot.exists() && resolve(snapshot.val())))
}

/** Listens at a path, and keeps what is told of the connection and of the listen. */
page['listen'] = (url: string, path: string) => {
  const db = connect(url, 'any')
  const connected: unknown[] = []
  const seen: unknown[] = []
  page['connected'] = connected
  page['seen'] = seen
  onValue(ref(db, '.info/connected'), (snapshot) => connected.push(snapshot.val()))
  onValue(
    ref(db, path),
    (snapshot) => seen.push(snapshot.val()),
    ({ message }) => seen.push(message),
  )
}
