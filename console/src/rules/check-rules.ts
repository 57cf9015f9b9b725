import { signal } from '@preact/signals'
import type { ResultOf } from '../../../src/admin/operations.ts'
import { call } from '../shell/call.ts'
import { wordsOf } from '../shell/call-error.ts'

type Problem = ResultOf<'rules-check'>['problems'][number]

/** What the last check said, for those who do not see marks in the text. */
export type CheckState = { readonly text: string; readonly problems: readonly Problem[] } | { readonly failure: string }

/** Result of the last check of a text; `undefined` before one. */
export const lastCheck = signal<CheckState | undefined>(undefined)

let newest: AbortController | undefined

/** Asks the server for the mistakes of a text. A newer question ends an older one, which then has no mistakes. */
export async function checkRules(text: string): Promise<readonly Problem[]> {
  newest?.abort()
  const control = new AbortController()
  newest = control
  try {
    const { problems } = await call('rules-check', { source: text }, control.signal)
    if (newest === control) lastCheck.value = { text, problems }
    return problems
  } catch (thrown) {
    if (newest === control) lastCheck.value = { failure: wordsOf(thrown) }
    return []
  }
}
