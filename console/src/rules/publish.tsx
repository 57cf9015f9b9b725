import { loadApplications } from '../shell/applications.ts'
import { call } from '../shell/call.ts'
import { CallError } from '../shell/call-error.ts'
import { openDialog } from '../shell/dialogs.tsx'
import { toast, toastError } from '../shell/toasts.tsx'
import { type Draft, isChanged } from './drafts.ts'
import { Difference } from './editor/editor-box.tsx'

const CONFLICT = 409

/**
 * Shows what the draft changes, and publishes it if the person agrees. Rules that others have published meanwhile are never
 * replaced unseen: the difference to those is shown then, and asked for again.
 * @returns whether it was published
 * @throws CallError for rules that the server refuses
 */
export async function publish(application: string, draft: Draft): Promise<boolean> {
  const { base, text } = draft
  let note = ''
  while (isChanged(draft)) {
    const source = text.value
    if (!(await agreed(application, base.value, source, note))) return false
    try {
      await call('tree-set-rules', { id: application, source, expected: base.value })
      base.value = source
      toast(`The rules of “${application}” are in force.`)
      // It may have been open to everybody until now.
      await loadApplications().catch(toastError)
      return true
    } catch (thrown) {
      if (!(thrown instanceof CallError) || thrown.status !== CONFLICT) throw thrown
      base.value = await call('tree-rules', { id: application })
      note = 'Other rules were published meanwhile. This is the difference between those and yours.'
    }
  }
  toast('The same rules were published meanwhile.')
  return false
}

async function agreed(application: string, before: string, after: string, note: string): Promise<boolean> {
  let isAgreed = false
  await openDialog(`Publish rules of “${application}”`, (close) => (
    <>
      {note !== '' && (
        <p class="warning" role="alert">
          {note}
        </p>
      )}
      <p>They are in force at once, for every request and every open stream.</p>
      <Difference before={before} after={after} />
      <div class="actions">
        <button type="button" onClick={close}>
          Cancel
        </button>
        <button
          type="button"
          class="primary"
          onClick={() => {
            isAgreed = true
            close()
          }}
        >
          Publish
        </button>
      </div>
    </>
  ))
  return isAgreed
}
