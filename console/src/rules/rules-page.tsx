import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { ActionButton } from '../parts/action-button.tsx'
import { countText } from '../parts/amounts.ts'
import { call } from '../shell/call.ts'
import { wordsOf } from '../shell/call-error.ts'
import { openDialog } from '../shell/dialogs.tsx'
import type { PageProps } from '../shell/page.ts'
import { lastCheck } from './check-rules.ts'
import { beginDraft, type Draft, draftOf, isChanged, replaceText } from './drafts.ts'
import { Difference, EditorBox } from './editor-box.tsx'
import { History } from './history.tsx'
import { publish } from './publish.tsx'
import { Simulator } from './simulator.tsx'

/** Writes, tries and publishes the rules of an application. */
export function RulesPage({ application }: PageProps) {
  const draft = useSignal<Draft | undefined>(draftOf(application))
  const error = useSignal<string | undefined>(undefined)
  useEffect(() => {
    const control = new AbortController()
    const load = async () => {
      const source = await call('tree-rules', { id: application }, control.signal)
      if (control.signal.aborted) return
      const kept = draftOf(application)
      // What is being written stays; publishing it says when others have published meanwhile.
      draft.value = kept !== undefined && isChanged(kept) ? kept : beginDraft(application, source)
    }
    load().catch((thrown) => {
      if (!control.signal.aborted) error.value = wordsOf(thrown)
    })
    return () => control.abort()
  }, [application])
  if (error.value !== undefined) {
    return (
      <p class="failure" role="alert">
        {error.value}
      </p>
    )
  }
  if (draft.value === undefined) return <p role="status">Loading…</p>
  return <RulesEditor application={application} draft={draft.value} />
}

interface RulesEditorProps {
  readonly application: string
  readonly draft: Draft
}

function RulesEditor({ application, draft }: RulesEditorProps) {
  const published = useSignal(0)
  const { base, text } = draft
  const layOut = async () => {
    const { formatRules } = await import('./rules-text.ts')
    replaceText(draft, formatRules(text.value))
  }
  const release = async () => {
    if (await publish(application, draft)) published.value++
  }
  return (
    <>
      <section aria-label="Editor">
        <EditorBox draft={draft} />
        <CheckLine text={text.value} />
        <div class="actions">
          <ActionButton kind="primary" disabled={!isChanged(draft)} run={release}>
            Publish…
          </ActionButton>
          <button type="button" disabled={!isChanged(draft)} onClick={() => void showChanges(draft)}>
            Show changes
          </button>
          <ActionButton run={layOut}>Format</ActionButton>
          <button type="button" disabled={!isChanged(draft)} onClick={() => replaceText(draft, base.value)}>
            Discard changes
          </button>
          <span role="status" class="hint">
            {isChanged(draft) ? 'Changed, not published.' : 'These rules are in force.'}
          </span>
        </div>
      </section>
      <Simulator application={application} source={isChanged(draft) ? text.value : undefined} />
      <History key={published.value} application={application} onTake={(source) => replaceText(draft, source)} />
    </>
  )
}

/** Says in words what the editor marks. */
function CheckLine({ text }: { readonly text: string }) {
  const check = lastCheck.value
  if (check === undefined) return <p class="check-line" role="status" />
  if ('failure' in check) {
    return (
      <p class="check-line error" role="status">
        Not checked: {check.failure}
      </p>
    )
  }
  if (check.text !== text) {
    return (
      <p class="check-line hint" role="status">
        Checking…
      </p>
    )
  }
  const [problem] = check.problems
  if (problem === undefined) {
    return (
      <p class="check-line good" role="status">
        No mistakes.
      </p>
    )
  }
  return (
    <p class="check-line error" role="status">
      Line {problem.line}: {problem.message}
      {check.problems.length > 1 && ` (${countText(check.problems.length - 1, 'mistake')} more)`}
    </p>
  )
}

async function showChanges({ base, text }: Draft): Promise<void> {
  await openDialog('Changes', () => <Difference before={base.value} after={text.value} />)
}
