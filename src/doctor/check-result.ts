/** What a doctor says of one thing. */
export interface Finding {
  /** What was looked at, such as `tree "app"`. */
  readonly check: string
  /** A `warning` can wait; a `problem` keeps the service from what it promises, or will. */
  readonly state: 'ok' | 'warning' | 'problem'
  readonly found: string
  /** What to do about it. */
  readonly advice?: string
}

export function ok(check: string, found: string): Finding {
  return { check, state: 'ok', found }
}

export function warning(check: string, found: string, advice: string): Finding {
  return { check, state: 'warning', found, advice }
}

export function problem(check: string, found: string, advice: string): Finding {
  return { check, state: 'problem', found, advice }
}

/** Why something could not be done, in one line. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
