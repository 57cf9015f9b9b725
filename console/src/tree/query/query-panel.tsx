import { type Signal, useSignal } from '@preact/signals'
import { wordsOf } from '../../shell/call-error.ts'
import { Table } from '../../shell/table.tsx'
import { toast } from '../../shell/toasts.tsx'
import type { TreeClient } from '../../shell/tree-client.ts'
import { limitedText } from '../model/limited-text.ts'
import { type Member, orderedMembers } from '../model/ordered-members.ts'
import { FORMS } from './copy-as.ts'
import { EMPTY_QUERY, parametersOf, type QueryForm } from './query-form.ts'

/** Most bytes of a result. */
const MOST_BYTES = 8 * 1024 * 1024
/** Longest value that the table shows, and most rows. */
const LONGEST_SHOWN = 300
const MOST_ROWS = 1000

interface QueryPanelProps {
  readonly client: TreeClient
  readonly path: readonly string[]
}

interface Result {
  readonly rows: readonly Member[]
  readonly total: number
  readonly milliseconds: number
}

/** Builds a query of the children of a node, and shows what it answers. */
export function QueryPanel({ client, path }: QueryPanelProps) {
  const form = useSignal(EMPTY_QUERY)
  const result = useSignal<Result | undefined>(undefined)
  const error = useSignal('')
  const isBusy = useSignal(false)
  const run = async () => {
    isBusy.value = true
    error.value = ''
    try {
      result.value = await ask(client, path, parametersOf(form.value))
    } catch (thrown) {
      result.value = undefined
      error.value = wordsOf(thrown)
    } finally {
      isBusy.value = false
    }
  }
  return (
    <section class="card query" aria-label="Query">
      <form
        class="bar-row"
        onSubmit={(event) => {
          event.preventDefault()
          void run()
        }}
      >
        <Order form={form} />
        <Bounds form={form} />
        <Limit form={form} />
        <button type="submit" class="primary" disabled={isBusy.value}>
          Run query
        </button>
        <CopyAs client={client} path={path} form={form} />
      </form>
      {error.value !== '' && (
        <p class="error" role="alert">
          {error.value}
        </p>
      )}
      {result.value !== undefined && <Results result={result.value} />}
    </section>
  )
}

/** @throws CallError, Error when the result is too large */
async function ask(client: TreeClient, path: readonly string[], parameters: Readonly<Record<string, string>>) {
  const began = performance.now()
  const reply = await client.ask(path, { parameters: { ...parameters, format: 'export' } })
  const { text, isCut } = await limitedText(reply, MOST_BYTES)
  if (isCut) throw new Error('The result is larger than 8 MiB. Set a smaller limit.')
  const rows = orderedMembers(text)
  return { rows: rows.slice(0, MOST_ROWS), total: rows.length, milliseconds: performance.now() - began }
}

function Results({ result: { rows, total, milliseconds } }: { result: Result }) {
  return (
    <>
      <p class="hint" role="status">
        {total === 1 ? '1 child' : `${total} children`} in {milliseconds.toFixed(0)} ms
        {total > rows.length && `; the first ${rows.length} are shown`}
      </p>
      <Table
        caption="Result"
        rows={rows}
        keyOf={([key]) => key}
        empty="No child is chosen."
        columns={[
          { title: 'Key', cell: ([key]) => <bdi class="mono">{key}</bdi> },
          { title: 'Value', cell: ([, value]) => <bdi class="mono">{cut(value)}</bdi> },
        ]}
      />
    </>
  )
}

function cut(text: string): string {
  return text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text
}

interface PartProps {
  readonly form: Signal<QueryForm>
}

function Order({ form }: PartProps) {
  const { order, child } = form.value
  return (
    <>
      <Choice
        label="Order by"
        value={order}
        options={{ $key: 'key', $value: 'value', $priority: 'priority', child: 'a child' }}
        onChange={(chosen) => change(form, { order: chosen as QueryForm['order'] })}
      />
      {order === 'child' && (
        <Text label="Child path" value={child} onInput={(text) => change(form, { child: text })} isRequired={true} />
      )}
    </>
  )
}

function Bounds({ form }: PartProps) {
  const { lower, lowerValue, upper, upperValue } = form.value
  return (
    <>
      <Choice
        label="From"
        value={lower}
        options={{ none: 'the beginning', startAt: 'startAt', startAfter: 'startAfter', equalTo: 'equalTo' }}
        onChange={(chosen) => change(form, { lower: chosen as QueryForm['lower'] })}
      />
      {lower !== 'none' && (
        <Text label={`Value of ${lower}`} value={lowerValue} onInput={(text) => change(form, { lowerValue: text })} />
      )}
      {lower !== 'equalTo' && (
        <Choice
          label="To"
          value={upper}
          options={{ none: 'the end', endAt: 'endAt', endBefore: 'endBefore' }}
          onChange={(chosen) => change(form, { upper: chosen as QueryForm['upper'] })}
        />
      )}
      {upper !== 'none' && lower !== 'equalTo' && (
        <Text label={`Value of ${upper}`} value={upperValue} onInput={(text) => change(form, { upperValue: text })} />
      )}
    </>
  )
}

function Limit({ form }: PartProps) {
  const { limit, limitValue } = form.value
  return (
    <>
      <Choice
        label="Limit"
        value={limit}
        options={{ limitToFirst: 'first', limitToLast: 'last' }}
        onChange={(chosen) => change(form, { limit: chosen as QueryForm['limit'] })}
      />
      <label>
        Number
        <input
          type="number"
          min={1}
          max={MOST_ROWS}
          required
          value={limitValue}
          onInput={(event) => change(form, { limitValue: event.currentTarget.value })}
        />
      </label>
    </>
  )
}

function change(form: Signal<QueryForm>, changed: Partial<QueryForm>): void {
  form.value = { ...form.value, ...changed }
}

interface ChoiceProps {
  readonly label: string
  readonly value: string
  readonly options: Readonly<Record<string, string>>
  readonly onChange: (chosen: string) => void
}

function Choice({ label, value, options, onChange }: ChoiceProps) {
  return (
    <label>
      {label}
      <select value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        {Object.entries(options).map(([name, title]) => (
          <option key={name} value={name}>
            {title}
          </option>
        ))}
      </select>
    </label>
  )
}

interface TextProps {
  readonly label: string
  readonly value: string
  readonly onInput: (text: string) => void
  readonly isRequired?: boolean
}

function Text({ label, value, onInput, isRequired = false }: TextProps) {
  return (
    <label>
      {label}
      <input
        value={value}
        required={isRequired}
        autocomplete="off"
        spellcheck={false}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
    </label>
  )
}

function CopyAs({ client, path, form }: QueryPanelProps & PartProps) {
  const copy = async (name: string) => {
    const parameters = parametersOf(form.value)
    const text = FORMS[name]?.({ url: client.url(path, parameters), path, parameters }) ?? ''
    try {
      await navigator.clipboard.writeText(text)
      toast(`Copied as ${name}; TOKEN stands for a credential of yours.`)
    } catch {
      toast('The browser does not let this page copy.')
    }
  }
  return (
    <label>
      Copy as
      <select
        value=""
        onChange={(event) => {
          const { value } = event.currentTarget
          event.currentTarget.value = ''
          if (value !== '') void copy(value)
        }}
      >
        <option value="">…</option>
        {Object.keys(FORMS).map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
    </label>
  )
}
