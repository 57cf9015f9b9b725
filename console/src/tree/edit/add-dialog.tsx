import { useSignal } from '@preact/signals'
import { openDialog } from '../../shell/dialogs.tsx'
import type { Editor } from './editor.ts'
import { keyProblem } from './key-input.tsx'

/** Asks for a key and a value, and adds the child. */
export function addChild(editor: Editor, parent: readonly string[]): void {
  void openDialog('Add a child', (close) => <AddForm editor={editor} parent={parent} close={close} />)
}

interface AddFormProps {
  readonly editor: Editor
  readonly parent: readonly string[]
  readonly close: () => void
}

function AddForm({ editor, parent, close }: AddFormProps) {
  const error = useSignal('')
  const submit = async (form: HTMLFormElement) => {
    const given = new FormData(form)
    const key = String(given.get('key') ?? '')
    const value = String(given.get('value') ?? '')
    const problem = keyProblem(key)
    const json = jsonOf(value)
    if (problem !== undefined) error.value = problem
    else if (json === 'null') error.value = 'null is no value: nothing would be added.'
    else if (await editor.add(parent, key, json)) close()
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        void submit(event.currentTarget)
      }}
    >
      <p class="mono">/{parent.join('/')}</p>
      <label>
        Key
        <input name="key" required autocomplete="off" spellcheck={false} />
      </label>
      <label>
        Value
        <textarea name="value" rows={5} spellcheck={false} placeholder='text, 5, true or {"name": "Ann"}' />
      </label>
      <p class="hint">JSON; whatever is no JSON is taken as text.</p>
      {error.value !== '' && (
        <p class="error" role="alert">
          {error.value}
        </p>
      )}
      <div class="actions">
        <button type="button" onClick={close}>
          Cancel
        </button>
        <button type="submit" class="primary">
          Add
        </button>
      </div>
    </form>
  )
}

function jsonOf(text: string): string {
  try {
    JSON.parse(text)
    return text
  } catch {
    return JSON.stringify(text)
  }
}
