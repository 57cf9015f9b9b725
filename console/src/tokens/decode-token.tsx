import { useSignal } from '@preact/signals'
import type { ResultOf } from '../../../src/admin/operations.ts'
import { TextArea } from '../parts/fields.tsx'
import { momentText } from '../parts/moment.tsx'
import { call } from '../shell/call.ts'
import { wordsOf } from '../shell/call-error.ts'

type Decoded = ResultOf<'token-decode'>

/** Claims that are times, in seconds since 1970. */
const TIMES: Readonly<Record<string, string>> = { iat: 'Issued', nbf: 'Valid from', exp: 'Expires' }

/** Says what is in a token, and why the server refuses it. */
export function DecodeToken({ application }: { readonly application: string }) {
  const token = useSignal('')
  const decoded = useSignal<Decoded | string | undefined>(undefined)
  const decode = async () => {
    try {
      decoded.value = await call('token-decode', { id: application, token: token.value.trim() })
    } catch (thrown) {
      decoded.value = wordsOf(thrown)
    }
  }
  return (
    <section aria-labelledby="decode-title">
      <h2 id="decode-title">Decode a token</h2>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void decode()
        }}
      >
        <TextArea label="Token" value={token} />
        <div class="actions">
          <button type="submit">Decode</button>
        </div>
      </form>
      <div aria-live="polite">
        {typeof decoded.value === 'string' && (
          <p class="failure" role="alert">
            {decoded.value}
          </p>
        )}
        {typeof decoded.value === 'object' && <DecodedToken decoded={decoded.value} />}
      </div>
    </section>
  )
}

function DecodedToken({ decoded: { header, payload, verdict, reason } }: { readonly decoded: Decoded }) {
  const claims: Readonly<Record<string, unknown>> =
    typeof payload === 'object' && payload !== null ? (payload as Record<string, unknown>) : {}
  const times = Object.entries(TIMES).flatMap(([name, text]) => {
    const seconds = claims[name]
    return typeof seconds === 'number' ? [`${text} ${momentText(seconds * 1000)}`] : []
  })
  return (
    <div class="card">
      <p class={verdict === 'valid' ? 'state ok' : 'state problem'}>
        {verdict === 'valid' ? 'The server accepts it.' : `The server refuses it: ${reason ?? 'it is invalid'}.`}
      </p>
      {times.length > 0 && <p>{times.join(', ')}.</p>}
      <h3>Header</h3>
      <pre>
        <code>{JSON.stringify(header, null, 2)}</code>
      </pre>
      <h3>Payload</h3>
      <pre>
        <code>{JSON.stringify(payload, null, 2)}</code>
      </pre>
    </div>
  )
}
