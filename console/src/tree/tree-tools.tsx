import type { Signal } from '@preact/signals'
import { toastError } from '../shell/toasts.tsx'
import { addChild } from './edit/add-dialog.tsx'
import type { Editor } from './edit/editor.ts'
import { editPriority } from './edit/priority-dialog.tsx'
import { jumpWithin } from './jump-dialog.tsx'
import { applyChange } from './model/apply-change.ts'
import type { LiveState, LiveStream } from './model/live-stream.ts'
import type { TreeModel } from './model/tree-model.ts'
import { exportWithProgress, importWithProgress } from './transfer/transfer-dialog.tsx'

const STATES: Readonly<Record<LiveState, string>> = {
  connecting: 'connecting',
  live: 'live',
  paused: 'paused',
  waiting: 'not connected, trying again',
  refused: 'not allowed to listen here',
}

interface TreeToolsProps {
  readonly model: TreeModel
  readonly editor: Editor
  /** Path of the selected row. */
  readonly selected: Signal<readonly string[]>
  readonly onOpen: (path: readonly string[]) => void
}

/** Buttons that act on the selected node. */
export function TreeTools({ model, editor, selected, onOpen }: TreeToolsProps) {
  void model.version.value
  const path = selected.value
  const detail = model.detailAt(path)
  const isBase = path.length === model.base.length
  return (
    <div class="bar-row" role="toolbar" aria-label="Selected node">
      <button type="button" disabled={isBase} onClick={() => onOpen(path)}>
        Open
      </button>
      <button type="button" disabled={detail?.kind !== 'object'} onClick={() => jumpWithin(model, path)}>
        Jump…
      </button>
      <button type="button" onClick={() => addChild(editor, path)}>
        Add child
      </button>
      <button type="button" disabled={detail?.kind === 'object'} onClick={() => void editor.beginValue(path)}>
        Edit
      </button>
      <button type="button" disabled={path.length === 0} onClick={() => void editor.beginKey(path)}>
        Rename
      </button>
      <button type="button" disabled={detail?.kind === 'nothing'} onClick={() => void editPriority(editor, path)}>
        Priority
      </button>
      <button type="button" onClick={() => exportWithProgress(model.client, path).catch(toastError)}>
        Export
      </button>
      <ImportButton model={model} path={path} />
      <button type="button" class="danger" disabled={path.length === 0} onClick={() => void editor.remove(path)}>
        Delete
      </button>
    </div>
  )
}

function ImportButton({ model, path }: { model: TreeModel; path: readonly string[] }) {
  return (
    <label class="button">
      Import
      <input
        type="file"
        class="hidden"
        accept="application/json,.json"
        onChange={(event) => {
          const [file] = event.currentTarget.files ?? []
          event.currentTarget.value = ''
          if (file !== undefined) void importInto(model, path, file)
        }}
      />
    </label>
  )
}

/** Imports a file at a node of the view, and shows the outcome. */
export async function importInto(model: TreeModel, path: readonly string[], file: File): Promise<void> {
  const onChanged = () => applyChange(model, { path, data: undefined })
  try {
    await importWithProgress({ client: model.client, path, file, onChanged })
  } catch (thrown) {
    toastError(thrown)
  }
}

/** Whether changes are shown as they come, with a button that pauses them. */
export function LiveSwitch({ live }: { live: LiveStream }) {
  const state = live.state.value
  const isPaused = state === 'paused'
  return (
    <>
      <span class={`live-state ${state}`} role="status" title={live.reason.value}>
        {STATES[state]}
      </span>
      <button type="button" aria-pressed={isPaused} onClick={() => (isPaused ? live.resume() : live.pause())}>
        {isPaused ? 'Resume' : 'Pause'}
      </button>
    </>
  )
}
