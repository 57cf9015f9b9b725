import { type Signal, useSignal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import type { PageProps } from '../shell/page.ts'
import { hrefOf, navigate } from '../shell/router.ts'
import { keysOf, TreeClient } from '../shell/tree-client.ts'
import { addChild } from './add-dialog.tsx'
import { applyChange } from './apply-change.ts'
import { Editor } from './editor.ts'
import { type LiveState, LiveStream } from './live-stream.ts'
import { editPriority } from './priority-dialog.tsx'
import { TreeModel } from './tree-model.ts'
import { TreeView } from './tree-view.tsx'

/** The tree of one application: the address names the node that is shown. */
export function TreePage({ application, rest, search }: PageProps) {
  const seenAs = search.get('as') ?? ''
  const client = useMemo(() => new TreeClient(application, seenAs), [application, seenAs])
  const name = rest.join('/')
  const open = (path: readonly string[]) => navigate(hrefOf('tree', [application, ...path], { as: seenAs }))
  return (
    <div class="tree-page">
      <PathBar path={rest} onOpen={open} />
      <OpenedTree key={`${seenAs}/${name}`} client={client} base={rest} onOpen={open} />
    </div>
  )
}

function PathBar({ path, onOpen }: { path: readonly string[]; onOpen: (path: readonly string[]) => void }) {
  return (
    <form
      class="bar-row"
      onSubmit={(event) => {
        event.preventDefault()
        onOpen(keysOf(String(new FormData(event.currentTarget).get('path') ?? '')))
      }}
    >
      <label class="path">
        <span class="hidden">Path</span>
        <input
          name="path"
          key={path.join('/')}
          defaultValue={`/${path.join('/')}`}
          autocomplete="off"
          spellcheck={false}
        />
      </label>
      <button type="submit">Go</button>
      <button type="button" disabled={path.length === 0} onClick={() => onOpen(path.slice(0, -1))}>
        Up
      </button>
    </form>
  )
}

interface OpenedTreeProps {
  readonly client: TreeClient
  readonly base: readonly string[]
  readonly onOpen: (path: readonly string[]) => void
}

function OpenedTree({ client, base, onOpen }: OpenedTreeProps) {
  const model = useMemo(() => new TreeModel(client, base), [])
  const editor = useMemo(() => new Editor(model), [])
  const live = useMemo(
    () =>
      new LiveStream(client, base, { onChange: (change) => applyChange(model, change), onGap: () => model.refresh() }),
    [],
  )
  const selected = useSignal(base)
  useEffect(() => {
    return () => {
      live.stop()
      model.stop()
    }
  }, [])
  return (
    <>
      <Tools model={model} editor={editor} live={live} selected={selected} onOpen={onOpen} />
      <TreeView model={model} editor={editor} selected={selected} onOpen={onOpen} />
    </>
  )
}

const STATES: Readonly<Record<LiveState, string>> = {
  connecting: 'connecting',
  live: 'live',
  paused: 'paused',
  waiting: 'not connected, trying again',
  refused: 'not allowed to listen here',
}

interface ToolsProps {
  readonly model: TreeModel
  readonly editor: Editor
  readonly live: LiveStream
  readonly selected: Signal<readonly string[]>
  readonly onOpen: (path: readonly string[]) => void
}

/** Buttons that act on the selected node. */
function Tools({ model, editor, live, selected, onOpen }: ToolsProps) {
  void model.version.value
  const path = selected.value
  const detail = model.detailAt(path)
  const isBase = path.length === model.base.length
  const isPaused = live.state.value === 'paused'
  return (
    <div class="bar-row" role="toolbar" aria-label="Selected node">
      <button type="button" disabled={isBase} onClick={() => onOpen(path)}>
        Open
      </button>
      <button type="button" onClick={() => addChild(editor, path)}>
        Add child
      </button>
      <button type="button" disabled={detail?.kind === 'object'} onClick={() => void editor.begin(path, 'value')}>
        Edit
      </button>
      <button type="button" disabled={isBase} onClick={() => void editor.begin(path, 'key')}>
        Rename
      </button>
      <button type="button" disabled={detail?.kind === 'nothing'} onClick={() => void editPriority(editor, path)}>
        Priority
      </button>
      <button type="button" class="danger" disabled={path.length === 0} onClick={() => void editor.remove(path)}>
        Delete
      </button>
      <span class={`live-state ${live.state.value}`} role="status" title={live.reason.value}>
        {STATES[live.state.value]}
      </span>
      <button type="button" aria-pressed={isPaused} onClick={() => (isPaused ? live.resume() : live.pause())}>
        {isPaused ? 'Resume' : 'Pause'}
      </button>
    </div>
  )
}
