import { useSignal } from '@preact/signals'
import { wordsOf } from '../shell/call-error.ts'
import { toastError } from '../shell/toasts.tsx'
import { CaseList } from './case-list.tsx'
import { type Case, type CaseTable, caseText, keepCases, keptCases } from './cases.ts'
import { explain, type Ruling } from './explain.ts'
import { fillFields, RequestForm, requestOf, useRequestFields } from './request-form.tsx'

interface SimulatorProps {
  readonly application: string
  /** Rules that are not published; `undefined` for those in force. */
  readonly source: string | undefined
}

type Tried = { readonly request: Omit<Case, 'expect'> } & ({ readonly ruling: Ruling } | { readonly error: string })

/** Tries requests on the rules in the editor, and keeps them as cases. */
export function Simulator({ application, source }: SimulatorProps) {
  const fields = useRequestFields()
  const tried = useSignal<Tried | undefined>(undefined)
  const isBusy = useSignal(false)
  const table = useSignal<CaseTable>(keptCases(application))
  const keep = (next: CaseTable) => {
    table.value = next
    try {
      keepCases(application, next)
    } catch (thrown) {
      toastError(thrown)
    }
  }
  const attempt = async () => {
    isBusy.value = true
    try {
      const request = requestOf(fields)
      try {
        tried.value = { request, ruling: await explain(application, source, request) }
      } catch (thrown) {
        tried.value = { request, error: wordsOf(thrown) }
      }
    } catch (thrown) {
      toastError(thrown)
    } finally {
      isBusy.value = false
    }
  }
  return (
    <section aria-labelledby="simulator-title">
      <h2 id="simulator-title">Simulator</h2>
      <p class="hint">
        Tries a request on {source === undefined ? 'the rules in force' : 'the rules in the editor'} and on the tree as
        it is now. Nothing is written.
      </p>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void attempt()
        }}
      >
        <RequestForm fields={fields} />
        <div class="actions">
          <button type="submit" class="primary" disabled={isBusy.value}>
            Try
          </button>
        </div>
      </form>
      <div aria-live="polite">
        {tried.value !== undefined && (
          <Outcome
            tried={tried.value}
            onKeep={(added) => keep({ ...table.value, cases: [...table.value.cases, added] })}
          />
        )}
      </div>
      <CaseList
        application={application}
        source={source}
        table={table.value}
        onChange={keep}
        onLoad={(loaded) => fillFields(fields, loaded)}
      />
    </section>
  )
}

interface OutcomeProps {
  readonly tried: Tried
  readonly onKeep: (added: Case) => void
}

function Outcome({ tried, onKeep }: OutcomeProps) {
  if ('error' in tried) {
    return (
      <p class="failure" role="alert">
        {tried.error}
      </p>
    )
  }
  const { request, ruling } = tried
  const keep = (expect: Case['expect']) => onKeep({ name: caseText({ ...request, expect }), ...request, expect })
  return (
    <div class="card">
      <p class={ruling.allowed ? 'state ok' : 'state problem'}>
        {ruling.allowed ? 'Allowed' : 'Denied'}: {caseText({ ...request, expect: 'allow' })}
      </p>
      <Trace lines={ruling.trace} />
      <div class="actions">
        <button type="button" onClick={() => keep('allow')}>
          Keep as a case: must be allowed
        </button>
        <button type="button" onClick={() => keep('deny')}>
          Keep as a case: must be denied
        </button>
      </div>
    </div>
  )
}

/** The rules that were evaluated, in their order. */
function Trace({ lines }: { readonly lines: readonly string[] }) {
  return (
    <ol class="trace" aria-label="Evaluated rules">
      {lines.map((line, index) => (
        <li key={index}>
          <code>{line}</code>
        </li>
      ))}
    </ol>
  )
}
