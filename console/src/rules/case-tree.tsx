import { useSignal } from '@preact/signals'
import { ActionButton } from '../parts/action-button.tsx'
import { TextArea } from '../parts/fields.tsx'
import { jsonOf } from '../parts/json-text.ts'
import type { CaseTable } from './cases.ts'

interface CaseTreeProps {
  readonly application: string
  readonly table: CaseTable
  readonly onChange: (table: CaseTable) => void
}

/** The tree that `dhole rules test` begins each case with. */
export function CaseTree({ application, table, onChange }: CaseTreeProps) {
  const text = useSignal(table.data === undefined ? '' : JSON.stringify(table.data, null, 2))
  const store = async () => {
    const { data: _, ...rest } = table
    onChange(text.value.trim() === '' ? rest : { data: jsonOf('Tree', text.value), ...rest })
  }
  return (
    <details>
      <summary>Tree of the file</summary>
      <p class="hint">
        The simulator asks the tree of “{application}” as it is. <code>dhole rules test</code> has no server: it begins
        each case with this tree, or with an empty one.
      </p>
      <TextArea label="Tree (JSON)" value={text} rows={4} />
      <ActionButton run={store}>Keep the tree</ActionButton>
    </details>
  )
}
