/**
 * A program as users of Firebase's JavaScript SDK write it, which signs users in. It runs in a process of its own, whose
 * environment trusts the certificate of the server. Each line that it prints is JSON.
 */
import { createInterface } from 'node:readline'
import { deleteApp, initializeApp } from '@firebase/app'
import {
  connectAuthEmulator,
  getAuth,
  onAuthStateChanged,
  signInWithCustomToken,
  signInWithEmailAndPassword,
  signOut,
} from '@firebase/auth'
import { getDatabase, onValue, ref, set } from '@firebase/database'

interface Given {
  readonly url: string
  readonly databaseUrl: string
  readonly apiKey: string
  /** How the SDK is told where to sign in: as to an emulator, or by its configuration. */
  readonly way: 'emulator' | 'config'
  readonly tokens: Readonly<Record<string, string>>
}

const [scenario = '', given = ''] = process.argv.slice(2)
const { url, databaseUrl, apiKey, way, tokens } = JSON.parse(given) as Given

function connect(name: string) {
  const app = initializeApp({ apiKey, databaseURL: databaseUrl }, name)
  const auth = getAuth(app)
  if (way === 'emulator') connectAuthEmulator(auth, url, { disableWarnings: true })
  else {
    const { host } = new URL(url)
    auth.config.apiHost = `${host}/identitytoolkit.googleapis.com`
    auth.config.tokenApiHost = `${host}/securetoken.googleapis.com`
  }
  return { auth, db: getDatabase(app), stop: () => deleteApp(app) }
}

function tell(what: unknown): void {
  process.stdout.write(`${JSON.stringify(what)}\n`)
}

/** Code of what an attempt fails with. */
async function failureOf(attempt: Promise<unknown>): Promise<unknown> {
  try {
    return await attempt
  } catch (thrown) {
    const { code, message } = thrown as { readonly code?: string; readonly message: string }
    return { code, message }
  }
}

const denied = (attempt: Promise<unknown>) =>
  attempt.then(
    () => 'allowed',
    (error: Error) => error.message.split('\n', 1)[0],
  )

const scenarios: Readonly<Record<string, () => Promise<unknown>>> = {
  /** Two users write what is theirs. */
  async users() {
    const [ann, bob] = [connect('ann'), connect('bob')]
    const { user } = await signInWithCustomToken(ann.auth, tokens['ann'] ?? '')
    await signInWithCustomToken(bob.auth, tokens['bob'] ?? '')
    const { claims, signInProvider } = await user.getIdTokenResult()
    await set(ref(ann.db, 'users/ann'), 1)
    await set(ref(bob.db, 'users/bob'), 2)
    const foreign = await denied(set(ref(bob.db, 'users/ann'), 3))
    const editors = await denied(set(ref(ann.db, 'articles'), 1))
    const others = await denied(set(ref(bob.db, 'articles'), 1))
    return { uid: user.uid, role: claims['role'], signInProvider, foreign, editors, others }
  },

  /** Says who is signed in and what is seen, and does what the test says. */
  async session() {
    const { auth, db } = connect('ann')
    onAuthStateChanged(auth, (user) => tell({ user: user?.uid ?? null }))
    const commands: Readonly<Record<string, (argument: string) => Promise<unknown>>> = {
      in: async (name) => (await signInWithCustomToken(auth, tokens[name] ?? '')).user.uid,
      out: () => signOut(auth),
      listen: async () => {
        onValue(ref(db, '.info/connected'), (snapshot) => tell({ connected: snapshot.val() }))
        onValue(
          ref(db, 'users/ann'),
          (snapshot) => tell({ value: snapshot.val() }),
          (error) => tell({ ended: error.message }),
        )
      },
      write: (text) => denied(set(ref(db, 'users/ann'), text)),
      refresh: async () => (await auth.currentUser?.getIdTokenResult(true))?.issuedAtTime,
    }
    for await (const line of createInterface(process.stdin)) {
      const [command = '', argument = ''] = line.split(' ', 2)
      tell({ [command]: await failureOf(commands[command]?.(argument) ?? Promise.resolve()) })
    }
  },

  /** What the application is told of tokens and ways that are not accepted. */
  async refused() {
    const { auth } = connect('nobody')
    return {
      token: await failureOf(signInWithCustomToken(auth, tokens['wrong'] ?? '')),
      expired: await failureOf(signInWithCustomToken(auth, tokens['expired'] ?? '')),
      password: await failureOf(signInWithEmailAndPassword(auth, 'ann@example.org', 'secret')),
    }
  },
}

tell(await scenarios[scenario]?.())
process.exit(0)
