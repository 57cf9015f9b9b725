/** A program of a web page that signs a user in. The test bundles it, and calls its function. */
import { initializeApp } from '@firebase/app'
import { connectAuthEmulator, getAuth, signInWithCustomToken, signOut } from '@firebase/auth'
import { getDatabase, onValue, ref, set } from '@firebase/database'

const page = globalThis as unknown as Record<string, unknown>

page['run'] = async (url: string, token: string) => {
  const app = initializeApp({ apiKey: 'app', appId: '1:1:web:1', databaseURL: `${url}/?ns=app` })
  const auth = getAuth(app)
  connectAuthEmulator(auth, url, { disableWarnings: true })
  const { user } = await signInWithCustomToken(auth, token)
  const own = ref(getDatabase(app), `users/${user.uid}`)
  await set(own, 'from a page')
  await user.getIdToken(true)
  const ended = Promise.withResolvers<string>()
  const seen = Promise.withResolvers<unknown>()
  onValue(
    own,
    (snapshot) => seen.resolve(snapshot.val()),
    (error) => ended.resolve(error.message),
  )
  const value = await seen.promise
  await signOut(auth)
  return { uid: user.uid, value, ended: await ended.promise }
}
