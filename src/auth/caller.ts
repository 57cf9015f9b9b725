/** What rules see as `auth`: `uid`, `provider`, `token`, and whatever else the token says. */
export type Auth = Readonly<Record<string, unknown>>

/** Who asks. */
export interface Caller {
  /** `admin`: no rule applies. `anybody`: no credential was shown. */
  readonly kind: 'admin' | 'user' | 'anybody'
  readonly auth: Auth | null
  /** When the credential ends, in milliseconds since 1970. */
  readonly expiresAt?: number | undefined
  /** Whether answers tell why rules refused. */
  readonly debug?: boolean | undefined
}

export const ANONYMOUS: Caller = Object.freeze({ kind: 'anybody', auth: null })
/** Whoever shows the super secret. */
export const ADMIN: Caller = Object.freeze({ kind: 'admin', auth: null })
