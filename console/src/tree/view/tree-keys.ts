import type { Signal } from '@preact/signals'
import type { Editor } from '../edit/editor.ts'
import { nameOf, pathOf, type TreeModel } from '../model/tree-model.ts'

/** What keys of the tree act on. */
export interface KeyTarget {
  readonly model: TreeModel
  readonly editor: Editor
  readonly selected: Signal<readonly string[]>
  readonly onOpen: (path: readonly string[]) => void
  readonly scrollTo: (index: number) => void
}

const PAGE_ROWS = 15

/** Moves and acts as trees of other programs do. */
export function handleKey(event: KeyboardEvent, target: KeyTarget): void {
  if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey || event.altKey) return
  const act = actions[event.key]
  if (act === undefined) return
  event.preventDefault()
  act(target)
}

const actions: Readonly<Record<string, (target: KeyTarget) => void>> = {
  ArrowDown: (target) => move(target, 1),
  ArrowUp: (target) => move(target, -1),
  PageDown: (target) => move(target, PAGE_ROWS),
  PageUp: (target) => move(target, -PAGE_ROWS),
  Home: (target) => moveTo(target, 0, 1),
  End: (target) => moveTo(target, target.model.rowCount - 1, -1),
  ArrowRight: (target) => {
    const { model, selected } = target
    if (model.detailAt(selected.value)?.kind !== 'object') return
    if (model.isOpen(selected.value)) move(target, 1)
    else model.setOpen(selected.value, true)
  },
  ArrowLeft: (target) => {
    const { model, selected } = target
    const path = selected.value
    if (model.isOpen(path) && model.detailAt(path)?.kind !== 'leaf') model.setOpen(path, false)
    else if (path.length > model.base.length) select(target, path.slice(0, -1))
  },
  Enter: ({ model, editor, selected }) => {
    const path = selected.value
    if (model.detailAt(path)?.kind === 'object') model.setOpen(path, !model.isOpen(path))
    else void editor.beginValue(path)
  },
  F2: ({ editor, selected }) => {
    if (selected.value.length > 0) void editor.beginKey(selected.value)
  },
  Delete: ({ editor, selected }) => void editor.remove(selected.value),
}

function move(target: KeyTarget, by: number): void {
  const { model, selected } = target
  const from = model.indexOf(selected.value) ?? 0
  moveTo(target, Math.min(model.rowCount - 1, Math.max(0, from + by)), by < 0 ? -1 : 1)
}

/** Selects the row at an index, or the next known one in a direction. */
function moveTo(target: KeyTarget, index: number, direction: 1 | -1): void {
  const { model } = target
  for (let at = index; at >= 0 && at < model.rowCount; at += direction) {
    const [row] = model.rows(at, at + 1)
    const path = row === undefined ? undefined : pathOf(model, row)
    target.scrollTo(at)
    if (path !== undefined) {
      target.selected.value = path
      return
    }
    if (Math.abs(at - index) > PAGE_ROWS) return
  }
}

function select(target: KeyTarget, path: readonly string[]): void {
  const index = target.model.indexOf(path)
  if (index === undefined || nameOf(path) === nameOf(target.selected.value)) return
  target.selected.value = path
  target.scrollTo(index)
}
