import type { ClientOptions, Load, Sdk } from './client.ts'
import { type NamespacedParts, namespacedClient } from './namespaced.ts'

interface AdminApp {
  initializeApp(options: object, name: string): unknown
  deleteApp(app: unknown): Promise<unknown>
}

interface AdminDatabase {
  getDatabase(app: unknown): Omit<NamespacedParts, 'stop'> & {
    getRulesJSON(): Promise<object>
    setRules(rules: object): Promise<void>
  }
  readonly ServerValue: { readonly TIMESTAMP: object; increment(delta: number): object }
}

const HOUR = 3600

/** `firebase-admin`. The credential is the token, or that of emulators. */
export function admin(load: Load): Sdk {
  const app = load('firebase-admin/app') as AdminApp
  const database = load('firebase-admin/database') as AdminDatabase
  let clients = 0
  return {
    connect: (databaseURL, { token, override }: ClientOptions = {}) => {
      let asked = 0
      const getAccessToken = async () => ({
        access_token: (await token?.(asked++ > 0)) ?? 'owner',
        expires_in: HOUR,
      })
      const options = {
        databaseURL,
        credential: { getAccessToken },
        ...(override === undefined ? {} : { databaseAuthVariableOverride: override }),
      }
      const made = app.initializeApp(options, `client ${clients++}`)
      const db = database.getDatabase(made)
      return {
        ...namespacedClient({
          ref: (path) => (path === '' ? db.ref('/') : db.ref(path)),
          goOffline: () => db.goOffline(),
          goOnline: () => db.goOnline(),
          stop: () => app.deleteApp(made),
        }),
        rules: { get: () => db.getRulesJSON(), set: (rules) => db.setRules(rules) },
      }
    },
    timestamp: database.ServerValue.TIMESTAMP,
    increment: database.ServerValue.increment,
  }
}
