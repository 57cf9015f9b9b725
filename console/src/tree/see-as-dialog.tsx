import { useSignal } from '@preact/signals'
import { openDialog } from '../shell/dialogs.tsx'

/** Asks for which user the rules decide. @param onChoose called with JSON of `auth`; '' for an admin, who passes all rules */
export function chooseSeenAs(seenAs: string, onChoose: (chosen: string) => void): void {
  void openDialog('See as', (close) => (
    <SeeAsForm
      seenAs={seenAs}
      onChoose={(chosen) => {
        close()
        onChoose(chosen)
      }}
    />
  ))
}

/** Who is seen, in words. */
export function seenAsText(seenAs: string): string {
  if (seenAs === '') return 'admin'
  const auth = parsed(seenAs)
  if (auth === null || typeof auth !== 'object') return 'no user'
  return String((auth as { readonly uid?: unknown }).uid ?? 'a user')
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json) as unknown
  } catch {
    return undefined
  }
}

interface SeeAsFormProps {
  readonly seenAs: string
  readonly onChoose: (chosen: string) => void
}

function SeeAsForm({ seenAs, onChoose }: SeeAsFormProps) {
  const { uid: knownUid = '', ...knownClaims } = (parsed(seenAs) ?? {}) as Readonly<Record<string, unknown>>
  const error = useSignal('')
  const submit = (form: HTMLFormElement) => {
    const given = new FormData(form)
    const claims = parsed(String(given.get('claims') || '{}'))
    if (typeof claims !== 'object' || claims === null || Array.isArray(claims))
      error.value = 'Claims are a JSON object.'
    else onChoose(JSON.stringify({ ...claims, uid: String(given.get('uid')) }))
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        submit(event.currentTarget)
      }}
    >
      <p>The rules decide what is shown and written, as they would for this user.</p>
      <label>
        uid
        <input name="uid" required defaultValue={String(knownUid)} autocomplete="off" spellcheck={false} />
      </label>
      <label>
        Claims
        <textarea
          name="claims"
          rows={3}
          spellcheck={false}
          placeholder="{}"
          defaultValue={Object.keys(knownClaims).length === 0 ? '' : JSON.stringify(knownClaims)}
        />
      </label>
      {error.value !== '' && (
        <p class="error" role="alert">
          {error.value}
        </p>
      )}
      <div class="actions">
        <button type="button" onClick={() => onChoose('')}>
          As admin
        </button>
        <button type="button" onClick={() => onChoose('null')}>
          Without a user
        </button>
        <button type="submit" class="primary">
          As this user
        </button>
      </div>
    </form>
  )
}
