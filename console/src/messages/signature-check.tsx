import { useSignal } from '@preact/signals'
import type { InputOf, ResultOf } from '../../../src/admin/operations.ts'
import { CopyButton } from '../parts/copy-button.tsx'
import { Choice, TextArea, TextField } from '../parts/fields.tsx'
import { call } from '../shell/call.ts'
import { wordsOf } from '../shell/call-error.ts'
import type { PartProps } from './messages-page.tsx'

type Method = InputOf<'sms-signature'>['method']
type Checked = ResultOf<'sms-signature'>

/** Shows what a call about text messages should have signed. */
export function SignatureCheck({ application }: PartProps) {
  const method = useSignal<Method>('GET')
  const url = useSignal('')
  const body = useSignal('')
  const signature = useSignal('')
  const checked = useSignal<Checked | string | undefined>(undefined)
  const check = async () => {
    const given = {
      ...(method.value === 'POST' ? { body: body.value } : {}),
      ...(signature.value.trim() === '' ? {} : { signature: signature.value.trim() }),
    }
    try {
      checked.value = await call('sms-signature', {
        id: application,
        method: method.value,
        url: url.value.trim(),
        ...given,
      })
    } catch (thrown) {
      checked.value = wordsOf(thrown)
    }
  }
  return (
    <section aria-labelledby="signature-title">
      <h2 id="signature-title">Signature checker</h2>
      <p class="hint">
        Enter the call as your program sends it. The key is never shown: <code>KEY</code> stands for it.
      </p>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void check()
        }}
      >
        <div class="fields">
          <Choice label="Method" value={method} choices={{ GET: 'GET', POST: 'POST' }} />
          <TextField
            label="URL"
            value={url}
            required={true}
            isWide={true}
            placeholder={`/api/v1/${application}/status?rrid=welcome-1&signature=…`}
          />
          {method.value === 'POST' && <TextArea label="Body" value={body} hint="a form, or the JSON of a report" />}
          <TextField
            label="Signature"
            value={signature}
            hint="empty: the parameter signature of the URL or of the form"
          />
        </div>
        <div class="actions">
          <button type="submit" class="primary">
            Check
          </button>
        </div>
      </form>
      <div aria-live="polite">
        {typeof checked.value === 'string' && (
          <p class="failure" role="alert">
            {checked.value}
          </p>
        )}
        {typeof checked.value === 'object' && <CheckedSignature checked={checked.value} />}
      </div>
    </section>
  )
}

function CheckedSignature({ checked: { text, expected, matches, problems } }: { readonly checked: Checked }) {
  return (
    <div class="card">
      {matches === true && problems.length === 0 && <p class="state ok">The signature is right.</p>}
      {matches === true && problems.length > 0 && <p class="state warn">The signature is right, the call is not.</p>}
      {matches === false && <p class="state problem">The signature is wrong.</p>}
      {problems.length > 0 && (
        <ul aria-label="Problems">
          {problems.map((problem) => (
            <li key={problem}>{problem}</li>
          ))}
        </ul>
      )}
      <h3>Signed text</h3>
      <pre>
        <code>{text}</code>
      </pre>
      <CopyButton text={text} what="signed text" />
      <h3>Its SHA-256 with the key</h3>
      <pre>
        <code>{expected}</code>
      </pre>
      <CopyButton text={expected} what="signature" />
    </div>
  )
}
