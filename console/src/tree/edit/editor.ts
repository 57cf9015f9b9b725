import { signal } from '@preact/signals'
import { wordsOf } from '../../shell/call-error.ts'
import { confirm } from '../../shell/dialogs.tsx'
import { toast, toastError } from '../../shell/toasts.tsx'
import { applyChange } from '../model/apply-change.ts'
import type { Leaf, Priority } from '../model/detail.ts'
import { nameOf, type TreeModel } from '../model/tree-model.ts'
import { withProgress } from '../transfer/progress.tsx'
import { LATE_BYTES } from '../whole/put-back.ts'
import { removeNode } from '../whole/remove-node.ts'
import { readBefore } from '../whole/whole-node.ts'
import {
  Conflict,
  type Known,
  leafText,
  putGuarded,
  putPriority,
  readKnown,
  readPriority,
  rename,
  TooLarge,
  type Whole,
} from './edits.ts'

/** What is edited in a row. */
export type Editing =
  | { readonly what: 'key'; readonly path: readonly string[]; readonly whole: Whole }
  | {
      readonly what: 'value'
      readonly path: readonly string[]
      readonly known: Known
      /** Value of the leaf; `undefined` for an object or nothing. */
      readonly value: Leaf | undefined
      readonly priority: Priority
    }

/** Changes the tree: each write has the condition that the node is still what was shown. */
export class Editor {
  readonly #model: TreeModel
  readonly editing = signal<Editing | undefined>(undefined)

  readonly #onRenamed: (path: readonly string[], renamed: readonly string[]) => void

  /** @param onRenamed called with the old and the new path of a node */
  constructor(model: TreeModel, onRenamed: (path: readonly string[], renamed: readonly string[]) => void) {
    this.#model = model
    this.#onRenamed = onRenamed
  }

  /** Opens the editor of a value in its row, with what is there now. */
  async beginValue(path: readonly string[]): Promise<void> {
    await this.#attempt(async () => {
      const known = await readKnown(this.#model.client, path)
      const json = JSON.parse(known.text) as unknown
      this.editing.value = { path, what: 'value', known, ...leafOf(json) }
    })
  }

  /** Opens the editor of a key in its row: what is renamed is the node as it is now. */
  async beginKey(path: readonly string[]): Promise<void> {
    const { client } = this.#model
    const read = withProgress('Rename', (onProgress, signal) => readBefore(client, path, { onProgress, signal }), {
      fromBytes: LATE_BYTES,
    })
    const { body, etag } = (await read) ?? {}
    if (body !== undefined && etag !== undefined) this.editing.value = { path, what: 'key', whole: { body, etag } }
    else if ((await read) !== undefined) toastError('The node is larger than one write may be (MAX_WRITE_BYTES).')
  }

  cancel(): void {
    this.editing.value = undefined
  }

  /** @param json of the new value; the priority of a leaf stays */
  async saveValue(json: string): Promise<void> {
    const editing = this.editing.value
    if (editing?.what !== 'value') return
    const { path, known, priority } = editing
    const parsed = JSON.parse(json) as unknown
    const isLeaf = parsed !== null && typeof parsed !== 'object'
    const text = isLeaf ? leafText(parsed as Leaf, priority) : json
    this.cancel()
    await this.#guarded(path, text, known.etag)
  }

  async saveKey(key: string): Promise<void> {
    const editing = this.editing.value
    if (editing?.what !== 'key') return
    const { path, whole } = editing
    this.cancel()
    if (key === path.at(-1)) return
    const renamed = [...path.slice(0, -1), key]
    await this.#attempt(async () => {
      const isOpen = this.#model.isOpen(path)
      await rename(this.#model.client, path, key, whole)
      this.#changed(path)
      this.#changed(renamed)
      if (isOpen && path.length > this.#model.base.length) this.#model.setOpen(renamed, true)
      this.#onRenamed(path, renamed)
      toast(`Renamed to “${key}”.`)
    })
  }

  /** Adds a child, where there is none of that key. */
  async add(parent: readonly string[], key: string, json: string): Promise<boolean> {
    const path = [...parent, key]
    return this.#attempt(async () => {
      let etag: string
      try {
        etag = await putGuarded(this.#model.client, path, json, undefined)
      } catch (thrown) {
        throw thrown instanceof Conflict ? new Error(`There is already a node “${key}”.`) : thrown
      }
      this.#changed(path)
      toast(`Added /${nameOf(path)}.`, { label: 'Undo', run: () => void this.#restore(path, 'null', etag) })
      if (parent.length >= this.#model.base.length) this.#model.setOpen(parent, true)
    })
  }

  /** Sets a priority, or clears it with `null`. */
  async savePriority(path: readonly string[], priority: Priority, known: Known): Promise<boolean> {
    return this.#attempt(async () => {
      try {
        await putPriority(this.#model.client, path, priority, known)
      } catch (thrown) {
        if (!(thrown instanceof Conflict)) throw thrown
        throw new Error(`The priority has been changed meanwhile: it is now ${thrown.now.text}.`)
      }
      this.#changed(path)
    })
  }

  priorityOf(path: readonly string[]): Promise<Known> {
    return readPriority(this.#model.client, path)
  }

  /** Deletes a node. */
  async remove(path: readonly string[]): Promise<void> {
    await removeNode(this.#model.client, path, () => this.#changed(path))
  }

  /** Undoes a write, if what it wrote is still there. @param etag of what it wrote */
  async #restore(path: readonly string[], text: string, etag: string): Promise<void> {
    await this.#attempt(async () => {
      try {
        await putGuarded(this.#model.client, path, text, etag)
      } catch (thrown) {
        throw thrown instanceof Conflict ? new Error('Something else is there by now; it was left alone.') : thrown
      }
      this.#changed(path)
    })
  }

  async #guarded(path: readonly string[], text: string, etag: string): Promise<void> {
    await this.#attempt(async () => {
      try {
        await putGuarded(this.#model.client, path, text, etag)
      } catch (thrown) {
        if (!(thrown instanceof Conflict)) throw thrown
        await this.#settle(path, text, thrown.now)
      }
      this.#changed(path)
    })
  }

  /** Asks what to do about a value that another client has written meanwhile. */
  async #settle(path: readonly string[], text: string, now: Known): Promise<void> {
    const shown = now.text.length > 300 ? `${now.text.slice(0, 300)}…` : now.text
    const agreed = await confirm({
      title: 'The value has been changed meanwhile',
      text: `It is now ${shown}. Your value is ${text}.`,
      action: 'Write mine',
      isDangerous: true,
    })
    if (agreed) await this.#guarded(path, text, now.etag)
  }

  /** Shows the outcome of a write at once, also while live changes are paused. */
  #changed(path: readonly string[]): void {
    applyChange(this.#model, { path, data: undefined })
  }

  async #attempt(work: () => Promise<void>): Promise<boolean> {
    try {
      await work()
      return true
    } catch (thrown) {
      toastError(thrown instanceof TooLarge ? `${wordsOf(thrown)} Export it, or open a part of it.` : thrown)
      return false
    }
  }
}

function leafOf(json: unknown): { readonly value: Leaf | undefined; readonly priority: Priority } {
  if (json === null) return { value: undefined, priority: null }
  if (typeof json !== 'object') return { value: json as Leaf, priority: null }
  const members = json as Readonly<Record<string, unknown>>
  if (!Object.hasOwn(members, '.value')) return { value: undefined, priority: null }
  return { value: members['.value'] as Leaf, priority: (members['.priority'] ?? null) as Priority }
}
