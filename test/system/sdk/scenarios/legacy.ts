import dns from 'node:dns'
import type { ClientOptions, Load, Sdk } from './client.ts'
import { namespacedClient, notThere } from './namespaced.ts'

interface Context {
  interrupt(): void
  resume(): void
}

interface LegacyReference {
  child(path: string): LegacyReference
  authWithCustomToken(token: string, done: (error: Error | null) => void): Promise<unknown>
  unauth(): void
}

interface LegacyFirebase {
  new (url: string, context: Context): LegacyReference
  readonly Context: new () => Context
  readonly ServerValue: { readonly TIMESTAMP: object }
}

/** The constructor `Firebase` of version 2. The first of three labels of the host name names the application. */
export function legacy(load: Load): Sdk {
  resolveLocalNames()
  const Firebase = load('firebase') as LegacyFirebase
  return {
    connect: (url, { token }: ClientOptions = {}) => {
      const context = new Firebase.Context()
      const root = new Firebase(url, context)
      if (token !== undefined) void signIn(root, token)
      return namespacedClient({
        ref: (path) => (path === '' ? root : root.child(path)),
        goOffline: () => context.interrupt(),
        goOnline: () => context.resume(),
        stop: async () => context.interrupt(),
      })
    },
    timestamp: Firebase.ServerValue.TIMESTAMP,
    increment: notThere,
  }
}

async function signIn(root: LegacyReference, token: NonNullable<ClientOptions['token']>): Promise<void> {
  const text = await token(false)
  if (text !== null) await root.authWithCustomToken(text, () => {})
}

/** Stands for the entry of the name server: not every system resolves names below `localhost`. */
function resolveLocalNames(): void {
  const { lookup } = dns
  dns.lookup = ((name: string, ...rest: readonly unknown[]) => {
    const known = name.endsWith('.localhost') ? 'localhost' : name
    return (lookup as unknown as (...args: readonly unknown[]) => unknown)(known, ...rest)
  }) as never
}
