import { useSignal } from '@preact/signals'
import { openDialog } from '../../shell/dialogs.tsx'
import { toastError } from '../../shell/toasts.tsx'
import type { Priority } from '../model/detail.ts'
import type { Editor } from './editor.ts'
import type { Known } from './edits.ts'

/** Shows the priority of a node and sets it. */
export async function editPriority(editor: Editor, path: readonly string[]): Promise<void> {
  try {
    const known = await editor.priorityOf(path)
    await openDialog('Priority', (close) => <PriorityForm editor={editor} path={path} known={known} close={close} />)
  } catch (thrown) {
    toastError(thrown)
  }
}

interface PriorityFormProps {
  readonly editor: Editor
  readonly path: readonly string[]
  readonly known: Known
  readonly close: () => void
}

function PriorityForm({ editor, path, known, close }: PriorityFormProps) {
  const text = useSignal(known.text === 'null' ? '' : known.text)
  const submit = async () => {
    if (await editor.savePriority(path, priorityOf(text.value), known)) close()
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        void submit()
      }}
    >
      <p class="mono">/{path.join('/')}</p>
      <label>
        Priority
        <input
          value={text.value}
          autocomplete="off"
          spellcheck={false}
          onInput={(event) => {
            text.value = event.currentTarget.value
          }}
        />
      </label>
      <p class="hint">A number or a text; empty for none.</p>
      <div class="actions">
        <button type="button" onClick={close}>
          Cancel
        </button>
        <button type="submit" class="primary">
          Save
        </button>
      </div>
    </form>
  )
}

function priorityOf(text: string): Priority {
  const trimmed = text.trim()
  if (trimmed === '') return null
  try {
    const parsed = JSON.parse(trimmed) as unknown
    return typeof parsed === 'number' || typeof parsed === 'string' ? parsed : trimmed
  } catch {
    return trimmed
  }
}
