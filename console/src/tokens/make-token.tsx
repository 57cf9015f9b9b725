import { useSignal } from '@preact/signals'
import { CopyButton } from '../parts/copy-button.tsx'
import { Check, Choice, TextArea, TextField } from '../parts/fields.tsx'
import { objectOf } from '../parts/json-text.ts'
import { call } from '../shell/call.ts'
import { wordsOf } from '../shell/call-error.ts'

const LIFETIMES = {
  '900': '15 minutes',
  '3600': '1 hour',
  '86400': '24 hours',
  '604800': '7 days',
  '2592000': '30 days',
}

/** The form of a new token. */
export function MakeToken({ application }: { readonly application: string }) {
  const uid = useSignal('')
  const claims = useSignal('{}')
  const lifetime = useSignal<keyof typeof LIFETIMES>('86400')
  const isAdmin = useSignal(false)
  const isDebug = useSignal(false)
  const token = useSignal<string | undefined>(undefined)
  const error = useSignal<string | undefined>(undefined)
  const make = async () => {
    try {
      const made = await call('token-make', {
        id: application,
        ...(uid.value === '' ? {} : { uid: uid.value }),
        claims: objectOf('Claims', claims.value),
        expiresIn: Number(lifetime.value),
        admin: isAdmin.value,
        debug: isDebug.value,
      })
      token.value = made.token
      error.value = undefined
    } catch (thrown) {
      token.value = undefined
      error.value = wordsOf(thrown)
    }
  }
  return (
    <section aria-labelledby="make-title">
      <h2 id="make-title">Make a token</h2>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void make()
        }}
      >
        <div class="fields">
          <TextField label="User (uid)" value={uid} required={!isAdmin.value} hint="1 to 64 letters, digits and -" />
          <TextArea label="Claims (JSON)" value={claims} rows={2} hint="auth.token of the rules" />
          <Choice label="Valid for" value={lifetime} choices={LIFETIMES} />
        </div>
        <Check label="Administrator: no rule applies" value={isAdmin} />
        <Check label="Debug: answers say which rule denied" value={isDebug} />
        <div class="actions">
          <button type="submit" class="primary">
            Make
          </button>
        </div>
      </form>
      <div aria-live="polite">
        {error.value !== undefined && (
          <p class="failure" role="alert">
            {error.value}
          </p>
        )}
        {token.value !== undefined && (
          <div class="card">
            <p>Whoever has this token is this user until it expires.</p>
            <pre>
              <code>{token.value}</code>
            </pre>
            <CopyButton text={token.value} what="token" />
          </div>
        )}
      </div>
    </section>
  )
}
