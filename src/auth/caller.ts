/** `auth` of the rules: `uid`, `provider`, `token`, and further members of the token. */
export type Auth = Readonly<Record<string, unknown>>

/** Authenticated sender of a request. */
export interface Caller {
  /** `admin`: no rule applies. `anybody`: the request has no credential. */
  readonly kind: 'admin' | 'user' | 'anybody'
  readonly auth: Auth | null
  /** Expiry of the credential, in milliseconds since 1970. */
  readonly expiresAt?: number | undefined
  /** Whether replies contain the trace of the rules. */
  readonly debug?: boolean | undefined
}

export const ANONYMOUS: Caller = Object.freeze({ kind: 'anybody', auth: null })
/** Caller with the super secret. */
export const ADMIN: Caller = Object.freeze({ kind: 'admin', auth: null })

/** Whether the request has a credential. */
export function hasCredential({ kind }: Caller): boolean {
  return kind !== 'anybody'
}
