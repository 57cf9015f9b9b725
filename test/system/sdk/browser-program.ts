/** A program of a web page. The test bundles it, and calls its functions. */
import { initializeApp } from '@firebase/app'
import { forceLongPolling, get, getDatabase, onValue, ref, runTransaction, set, update } from '@firebase/database'

const page = globalThis as unknown as Record<string, unknown>

page['run'] = async (url: string, way: 'polling' | 'any') => {
  if (way === 'polling') forceLongPolling()
  const db = getDatabase(initializeApp({ databaseURL: url }, crypto.randomUUID()))
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
