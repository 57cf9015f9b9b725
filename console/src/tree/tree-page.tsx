import { useSignal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import type { PageProps } from '../shell/page.ts'
import { hrefOf, navigate } from '../shell/router.ts'
import { keysOf, TreeClient } from '../shell/tree-client.ts'
import { Editor } from './edit/editor.ts'
import { applyChange } from './model/apply-change.ts'
import { LiveStream } from './model/live-stream.ts'
import { nameOf, TreeModel } from './model/tree-model.ts'
import { QueryPanel } from './query/query-panel.tsx'
import { chooseSeenAs, seenAsText } from './see-as-dialog.tsx'
import { importInto, LiveSwitch, TreeTools } from './tree-tools.tsx'
import { TreeView } from './view/tree-view.tsx'

/** The tree of one application: the address names the node that is shown, and the user that rules see. */
export function TreePage({ application, rest, search }: PageProps) {
  const seenAs = search.get('as') ?? ''
  const client = useMemo(() => new TreeClient(application, seenAs), [application, seenAs])
  return <OpenedTree key={`${seenAs}/${rest.join('/')}`} client={client} base={rest} />
}

interface OpenedTreeProps {
  readonly client: TreeClient
  readonly base: readonly string[]
}

function OpenedTree({ client, base }: OpenedTreeProps) {
  const model = useMemo(() => new TreeModel(client, base), [])
  const live = useMemo(() => listen(model), [])
  const selected = useSignal(base)
  const editor = useMemo(() => {
    return new Editor(model, (path, renamed) => {
      if (path.length === base.length) open(renamed)
      else if (nameOf(selected.value) === nameOf(path)) selected.value = renamed
    })
  }, [])
  const isQuerying = useSignal(false)
  useEffect(() => {
    return () => {
      live.stop()
      model.stop()
    }
  }, [])
  const go = (path: readonly string[], seenAs: string) =>
    navigate(hrefOf('tree', [client.application, ...path], { as: seenAs }))
  const open = (path: readonly string[]) => go(path, client.seenAs)
  return (
    <section
      class="tree-page"
      aria-label="Tree of the application"
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault()
        const [file] = event.dataTransfer?.files ?? []
        if (file !== undefined) void importInto(model, selected.value, file)
      }}
    >
      <PathBar path={base} onOpen={open} />
      <div class="bar-row">
        <TreeTools model={model} editor={editor} selected={selected} onOpen={open} />
        <div class="bar-row view-tools" role="toolbar" aria-label="View">
          <LiveSwitch live={live} />
          <button type="button" onClick={() => chooseSeenAs(client.seenAs, (chosen) => go(base, chosen))}>
            See as: {seenAsText(client.seenAs)}
          </button>
          <button
            type="button"
            aria-expanded={isQuerying.value}
            onClick={() => {
              isQuerying.value = !isQuerying.value
            }}
          >
            Query
          </button>
        </div>
      </div>
      {isQuerying.value && <QueryPanel client={client} path={base} />}
      <TreeView model={model} editor={editor} selected={selected} onOpen={open} />
    </section>
  )
}

function listen(model: TreeModel): LiveStream {
  return new LiveStream(model.client, model.base, {
    onChange: (change) => applyChange(model, change),
    onGap: () => model.refresh(),
  })
}

interface PathBarProps {
  readonly path: readonly string[]
  readonly onOpen: (path: readonly string[]) => void
}

function PathBar({ path, onOpen }: PathBarProps) {
  const shown = `/${path.join('/')}`
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
        <input name="path" defaultValue={shown} autocomplete="off" spellcheck={false} />
      </label>
      <button type="submit">Go</button>
      <button type="button" disabled={path.length === 0} onClick={() => onOpen(path.slice(0, -1))}>
        Up
      </button>
    </form>
  )
}
