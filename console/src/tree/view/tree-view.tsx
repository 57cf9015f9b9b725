import type { Signal } from '@preact/signals'
import type { ComponentChild } from 'preact'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { toastError } from '../../shell/toasts.tsx'
import type { Editor } from '../edit/editor.ts'
import { KeyInput } from '../edit/key-input.tsx'
import { ValueInput } from '../edit/value-input.tsx'
import type { Branch } from '../model/branch.ts'
import { nameOf, pathOf, type TreeModel, type ViewRow } from '../model/tree-model.ts'
import { handleKey } from './tree-keys.ts'
import { type RowLook, TreeRow } from './tree-row.tsx'
import { useWindow } from './window.ts'

interface TreeViewProps {
  readonly model: TreeModel
  readonly editor: Editor
  /** Path of the selected row. */
  readonly selected: Signal<readonly string[]>
  /** Makes a node the first row. */
  readonly onOpen: (path: readonly string[]) => void
}

/** So many children that are not loaded take more than a moment. */
const FAR_CHILDREN = 20_000

interface Drawn {
  readonly look: RowLook
  readonly vnode: ComponentChild
}

/** The tree below one node. The tree has the focus; arrow keys move the selected row. */
export function TreeView({ model, editor, selected, onOpen }: TreeViewProps) {
  void model.version.value
  const { element, first, end, height, topOf, scrollTo } = useWindow(model.rowCount)
  const drawn = useRef(new Map<string, Drawn>())
  const rows = model.rows(first, end)
  useEffect(() => model.show(rows))
  const wanted = model.wantedRow.value
  useEffect(() => {
    if (wanted === undefined) return
    model.wantedRow.value = undefined
    scrollTo(wanted)
  }, [wanted])
  const isEditing = editor.editing.value !== undefined
  const wasEditing = useRef(false)
  useLayoutEffect(() => {
    // The input that had the focus is gone.
    if (wasEditing.current && !isEditing) element.current?.focus({ preventScroll: true })
    wasEditing.current = isEditing
  }, [isEditing])
  const before = drawn.current
  drawn.current = new Map()
  const editing = editor.editing.value
  const selectedName = nameOf(selected.value)
  let active: string | undefined
  const children = rows.map((row, offset) => {
    const index = first + offset
    const top = topOf(index)
    const path = pathOf(model, row)
    if (row.kind === 'earlier') return earlierRow(model, row.branch, index, top)
    if (path === undefined) return placeholder(row, index, top)
    const name = nameOf(path)
    const look = lookOf(model, row, path, { index, top, isSelected: name === selectedName })
    if (look.isSelected) active = look.id
    const isEdited = editing !== undefined && nameOf(editing.path) === name
    const known = before.get(name)
    // The same vnode tells the renderer that nothing has changed.
    const vnode =
      known !== undefined && !isEdited && isSameLook(known.look, look) ? (
        known.vnode
      ) : (
        <TreeRow
          key={`r${name}`}
          look={look}
          {...editorsOf(editor, isEdited)}
          onSelect={() => {
            selected.value = path
          }}
          onToggle={() => model.setOpen(path, !model.isOpen(path))}
          onEdit={() => void editor.beginValue(path)}
        />
      )
    if (!isEdited) drawn.current.set(name, { look, vnode })
    return vnode
  })
  return (
    <div
      ref={element}
      class="tree"
      role="tree"
      tabIndex={0}
      aria-label="Tree"
      aria-activedescendant={active}
      onKeyDown={(event) => handleKey(event, { model, editor, selected, onOpen, scrollTo })}
    >
      <div role="presentation" style={{ height: `${height}px` }}>
        {children}
      </div>
    </div>
  )
}

interface Editors {
  readonly editor: ComponentChild
  readonly keyEditor: ComponentChild
}

/** Inputs in the place of the value or the key of the row that is edited. */
function editorsOf(editor: Editor, isEdited: boolean): Editors {
  const editing = editor.editing.value
  if (!isEdited || editing === undefined) return { editor: undefined, keyEditor: undefined }
  const cancel = () => editor.cancel()
  if (editing.what === 'key') {
    const name = editing.path.at(-1) ?? ''
    const save = (key: string) => void editor.saveKey(key)
    return { editor: undefined, keyEditor: <KeyInput name={name} onSave={save} onCancel={cancel} /> }
  }
  const save = (json: string) => void editor.saveValue(json)
  return {
    keyEditor: undefined,
    editor: <ValueInput value={editing.value} label="Value" onSave={save} onCancel={cancel} />,
  }
}

interface Place {
  readonly index: number
  readonly top: number
  readonly isSelected: boolean
}

function lookOf(model: TreeModel, row: ViewRow, path: readonly string[], { index, top, isSelected }: Place): RowLook {
  const isBase = row.kind === 'base'
  const detail = row.kind === 'child' ? row.page.details.get(row.key) : model.baseDetail
  const isOpen = isBase ? model.isBaseOpen : row.kind === 'child' && row.branch.expanded.has(row.key)
  return {
    id: `row-${index}`,
    index,
    top,
    level: path.length - model.base.length + 1,
    label: isBase ? `/${path.join('/')}` : (path.at(-1) ?? ''),
    detail,
    isOpen: isOpen || detail?.kind === 'object' ? isOpen : undefined,
    isSelected,
    mark: model.markOf(nameOf(path)),
    ...placeOf(row),
  }
}

function isSameLook(left: RowLook, right: RowLook): boolean {
  for (const name of Object.keys(left) as (keyof RowLook)[]) if (left[name] !== right[name]) return false
  return true
}

/** A row without a known node: its key is being loaded, or the list goes on. */
function placeholder(row: ViewRow, index: number, top: number): ComponentChild {
  const error = row.kind === 'end' ? row.branch.error : undefined
  const found = row.kind === 'end' ? foundText(row.branch) : ''
  return (
    <div
      key={`p${index}`}
      class={`row ${error === undefined ? 'faint' : 'error'}`}
      role="presentation"
      style={{ transform: `translateY(${top}px)` }}
    >
      {error === undefined ? `loading…${found}` : `cannot be read: ${error}`}
    </div>
  )
}

/** How far the way to distant children is. */
function foundText({ isLoadingMore, loadedCount, count }: Branch): string {
  if (!isLoadingMore || count === undefined || count - loadedCount < FAR_CHILDREN) return ''
  return ` ${loadedCount.toLocaleString('en')} of ${count.toLocaleString('en')} children found`
}

/** Place among the siblings; unknown where children before it are not shown. */
function placeOf(row: ViewRow): Pick<RowLook, 'place' | 'siblings'> {
  if (row.kind !== 'child') return { place: 1, siblings: 1 }
  const { branch, place } = row
  return branch.hasEarlier
    ? { place: undefined, siblings: undefined }
    : { place: place + 1, siblings: branch.count ?? -1 }
}

/** The row that leads to the children before the first that is shown. */
function earlierRow(model: TreeModel, branch: Branch, index: number, top: number): ComponentChild {
  return (
    <div key={`p${index}`} class="row" role="presentation" style={{ transform: `translateY(${top}px)` }}>
      <button type="button" onClick={() => model.earlier(branch).catch(toastError)}>
        Show earlier children
      </button>
    </div>
  )
}
