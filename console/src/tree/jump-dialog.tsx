import { openDialog } from '../shell/dialogs.tsx'
import { toastError } from '../shell/toasts.tsx'
import type { TreeModel } from './model/tree-model.ts'

/** Asks where among the children of a node the list shall begin. */
export function jumpWithin(model: TreeModel, path: readonly string[]): void {
  void openDialog('Jump', (close) => {
    const enter = (key: string | undefined) => {
      close()
      model.enter(path, key).catch(toastError)
    }
    return (
      <form
        onSubmit={(event) => {
          event.preventDefault()
          enter(String(new FormData(event.currentTarget).get('key') ?? ''))
        }}
      >
        <p class="mono">/{path.join('/')}</p>
        <label>
          Key, or how it begins
          <input name="key" required autocomplete="off" spellcheck={false} />
        </label>
        <div class="actions">
          <button type="button" onClick={() => enter(undefined)}>
            Last children
          </button>
          <button type="submit" class="primary">
            Jump to key
          </button>
        </div>
      </form>
    )
  })
}
