import { useSignal } from '@preact/signals'
import { wordsOf } from './call-error.ts'
import { logIn } from './session.ts'

/** The form of those who are not logged in. */
export function Login() {
  const error = useSignal<string | undefined>(undefined)
  const isBusy = useSignal(false)
  const submit = async (form: HTMLFormElement) => {
    const given = new FormData(form)
    const application = String(given.get('application') ?? '').trim()
    isBusy.value = true
    error.value = undefined
    try {
      await logIn(String(given.get('secret') ?? ''), application === '' ? undefined : application)
    } catch (thrown) {
      error.value = wordsOf(thrown)
    } finally {
      isBusy.value = false
    }
  }
  return (
    <main class="login">
      <form
        aria-labelledby="login-title"
        onSubmit={(event) => {
          event.preventDefault()
          void submit(event.currentTarget)
        }}
      >
        <h1 id="login-title">Dhole console</h1>
        <label>
          Secret
          <input name="secret" type="password" required autocomplete="current-password" />
        </label>
        <label>
          Application
          <input name="application" autocomplete="off" spellcheck={false} placeholder="empty: the whole server" />
        </label>
        <p class="hint">
          The operator’s secret opens everything. The server prints it at its first start and keeps it in{' '}
          <code>operator.secret</code> of its data folder; <code>dhole console secret</code> shows it. With the name of
          an application, its own super secret opens that application.
        </p>
        {error.value !== undefined && (
          <p class="error" role="alert">
            {error.value}
          </p>
        )}
        <button type="submit" class="primary" disabled={isBusy.value}>
          Log in
        </button>
      </form>
    </main>
  )
}
