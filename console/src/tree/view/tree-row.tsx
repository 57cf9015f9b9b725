import type { ComponentChild } from 'preact'
import type { Detail } from '../model/detail.ts'
import type { Mark } from '../model/marks.ts'

/** A row as it is drawn. */
export interface RowLook {
  readonly id: string
  readonly index: number
  /** Distance from the top of the list, in pixels. */
  readonly top: number
  /** 1 for the first row. */
  readonly level: number
  readonly label: string
  readonly detail: Detail | undefined
  /** `undefined` where it cannot be expanded. */
  readonly isOpen: boolean | undefined
  readonly isSelected: boolean
  /** `undefined` when it has not changed lately. */
  readonly mark: Mark
  /** Place among its siblings, from 1; `undefined` where it is not known. */
  readonly place: number | undefined
  /** How many siblings there are; -1 while they are counted. */
  readonly siblings: number | undefined
}

interface TreeRowProps {
  readonly look: RowLook
  readonly editor: ComponentChild
  readonly keyEditor: ComponentChild
  readonly onSelect: () => void
  readonly onToggle: () => void
  readonly onEdit: () => void
}

/** One node of the tree. Keys and values are only ever text. */
export function TreeRow({ look, editor, keyEditor, onSelect, onToggle, onEdit }: TreeRowProps) {
  const { id, top, level, label, detail, isOpen, isSelected, mark, place, siblings } = look
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the tree has the focus and names the active row
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree has the keys
    <div
      id={id}
      role="treeitem"
      class={`row${isSelected ? ' selected' : ''}${mark === undefined ? '' : ` ${mark}`}`}
      style={{ transform: `translateY(${top}px)`, paddingInlineStart: `${(level - 1) * 18 + 4}px` }}
      aria-level={level}
      aria-expanded={isOpen}
      aria-selected={isSelected}
      aria-posinset={place}
      aria-setsize={siblings}
      onClick={onSelect}
      onMouseDown={(event) => {
        // A double click would select words.
        if (event.detail > 1) event.preventDefault()
      }}
      onDblClick={detail?.kind === 'leaf' ? onEdit : onToggle}
    >
      <span
        class={`toggle${isOpen === undefined ? '' : isOpen ? ' open' : ' closed'}`}
        aria-hidden="true"
        onClick={(event) => {
          event.stopPropagation()
          onToggle()
        }}
      />
      {keyEditor ?? <bdi class="key">{label}</bdi>}
      {editor ?? <Value detail={detail} />}
    </div>
  )
}

function Value({ detail }: { detail: Detail | undefined }) {
  if (detail === undefined) return <span class="value faint">…</span>
  switch (detail.kind) {
    case 'object':
      return <span class="value faint">{countText(detail.count)}</span>
    case 'nothing':
      return <span class="value faint">null</span>
    case 'unreadable':
      return <span class="value error">{detail.reason}</span>
    case 'leaf': {
      const { value, priority, isCut } = detail
      const text = typeof value === 'string' ? JSON.stringify(value) : String(value)
      return (
        <>
          <bdi class={`value ${typeof value}`}>{isCut ? `${text.slice(0, -1)}…` : text}</bdi>
          {priority !== null && <span class="faint">priority {JSON.stringify(priority)}</span>}
        </>
      )
    }
  }
}

function countText(count: number | undefined): string {
  if (count === undefined) return '{…}'
  return count === 1 ? '1 child' : `${count.toLocaleString('en')} children`
}
