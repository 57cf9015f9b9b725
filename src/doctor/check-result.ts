/** Result of one check of `dhole doctor`. */
export interface CheckResult {
  /** Subject of the check, such as `tree "app"`. */
  readonly check: string
  /** A `problem` breaks a promise of the service, now or soon; a `warning` can wait. */
  readonly state: 'ok' | 'warning' | 'problem'
  readonly found: string
  /** Remedy; absent for `ok`. */
  readonly advice?: string
}

export function ok(check: string, found: string): CheckResult {
  return { check, state: 'ok', found }
}

export function warning(check: string, found: string, advice: string): CheckResult {
  return { check, state: 'warning', found, advice }
}

export function problem(check: string, found: string, advice: string): CheckResult {
  return { check, state: 'problem', found, advice }
}
