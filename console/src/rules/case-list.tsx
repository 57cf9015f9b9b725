import { useSignal } from '@preact/signals'
import { ActionButton } from '../parts/action-button.tsx'
import { countText } from '../parts/amounts.ts'
import { downloadText } from '../parts/download.ts'
import { wordsOf } from '../shell/call-error.ts'
import { confirm } from '../shell/dialogs.tsx'
import { type Column, Table } from '../shell/table.tsx'
import { toastError } from '../shell/toasts.tsx'
import { CaseTree } from './case-tree.tsx'
import { type Case, type CaseTable, caseText, parseCases, printCases } from './cases.ts'
import { explain, type Ruling } from './explain.ts'

interface CaseListProps {
  readonly application: string
  readonly source: string | undefined
  readonly table: CaseTable
  readonly onChange: (table: CaseTable) => void
  /** Puts a case into the form of the simulator. */
  readonly onLoad: (loaded: Case) => void
}

type Result = Ruling | { readonly error: string }
type Row = { readonly index: number; readonly row: Case; readonly result: Result | undefined }

/** Requests with the decision that is right, kept in this browser, and as a file for `dhole rules test`. */
export function CaseList({ application, source, table, onChange, onLoad }: CaseListProps) {
  const results = useSignal<ReadonlyMap<Case, Result>>(new Map())
  const { cases } = table
  const run = async () => {
    const found = new Map<Case, Result>()
    for (const row of cases) {
      found.set(row, await decide(application, source, row))
      results.value = new Map(found)
    }
  }
  const remove = (index: number) => onChange({ ...table, cases: cases.filter((_, at) => at !== index) })
  const removeAll = async () => {
    const text = `${countText(cases.length, 'case')} of this browser will be gone.`
    if (await confirm({ title: 'Remove all cases', text, action: 'Remove', isDangerous: true })) onChange({ cases: [] })
  }
  return (
    <>
      <h3>Cases</h3>
      <Table
        caption="Cases"
        columns={columnsOf(onLoad, remove)}
        rows={cases.map((row, index) => ({ index, row, result: results.value.get(row) }))}
        keyOf={({ index }) => index}
        empty="No cases yet: try a request above, and keep it with the decision that is right."
      />
      <Sum cases={cases} results={results.value} />
      <div class="actions">
        <ActionButton disabled={cases.length === 0} run={run}>
          Run all cases
        </ActionButton>
        <button
          type="button"
          disabled={cases.length === 0}
          onClick={() => downloadText(`${application}-cases.json`, printCases(table))}
        >
          Download
        </button>
        <FileButton onTable={onChange} />
        <ActionButton disabled={cases.length === 0} run={removeAll}>
          Remove all
        </ActionButton>
      </div>
      <CaseTree application={application} table={table} onChange={onChange} />
    </>
  )
}

async function decide(application: string, source: string | undefined, row: Case): Promise<Result> {
  if (row.given !== undefined || row.now !== undefined) {
    return { error: 'it has a tree or a time of its own: run it with `dhole rules test`' }
  }
  try {
    return await explain(application, source, row)
  } catch (thrown) {
    return { error: wordsOf(thrown) }
  }
}

function isPassed(row: Case, result: Result | undefined): boolean {
  return result !== undefined && 'allowed' in result && result.allowed === (row.expect === 'allow')
}

function columnsOf(onLoad: CaseListProps['onLoad'], remove: (index: number) => void): readonly Column<Row>[] {
  return [
    { title: 'Case', cell: ({ row }) => caseText(row) },
    { title: 'Expected', cell: ({ row: { expect } }) => (expect === 'allow' ? 'allowed' : 'denied') },
    { title: 'Result', cell: (row) => <CaseResult {...row} /> },
    {
      title: 'Actions',
      cell: ({ row, index }) => (
        <span class="actions">
          <button type="button" aria-label={`Load case ${index + 1}`} onClick={() => onLoad(row)}>
            Load
          </button>
          <button type="button" aria-label={`Remove case ${index + 1}`} onClick={() => remove(index)}>
            Remove
          </button>
        </span>
      ),
    },
  ]
}

function CaseResult({ row, result }: Row) {
  if (result === undefined) return <span class="faint">not run</span>
  if ('error' in result) return <span class="error">{result.error}</span>
  const decided = result.allowed ? 'allowed' : 'denied'
  if (isPassed(row, result)) return <span class="good">right: {decided}</span>
  return (
    <details>
      <summary class="error">wrong: {decided}</summary>
      <ul>
        {result.trace.map((line) => (
          <li key={line}>
            <code>{line}</code>
          </li>
        ))}
      </ul>
    </details>
  )
}

function Sum({ cases, results }: { readonly cases: readonly Case[]; readonly results: ReadonlyMap<Case, Result> }) {
  const run = cases.filter((row) => results.has(row))
  const passed = run.filter((row) => isPassed(row, results.get(row)))
  return (
    <p role="status" class="hint">
      {run.length > 0 && `${passed.length} right, ${run.length - passed.length} wrong`}
    </p>
  )
}

/** Takes the cases of a file in place of the present ones. */
function FileButton({ onTable }: { readonly onTable: (table: CaseTable) => void }) {
  const read = async (file: File) => {
    try {
      onTable(parseCases(await file.text()))
    } catch (thrown) {
      toastError(new Error(`${file.name}: ${wordsOf(thrown)}`))
    }
  }
  return (
    <label class="file">
      Open a file of cases
      <input
        type="file"
        accept=".json,application/json"
        onChange={({ currentTarget }) => {
          const [file] = currentTarget.files ?? []
          if (file !== undefined) void read(file)
          currentTarget.value = ''
        }}
      />
    </label>
  )
}
