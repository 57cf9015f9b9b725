import { signal } from '@preact/signals'
import { wordsOf } from '../../shell/call-error.ts'
import { confirm } from '../../shell/dialogs.tsx'
import { toast, toastError } from '../../shell/toasts.tsx'
import { applyChange } from '../model/apply-change.ts'
import type { Leaf, Priority } from '../model/detail.ts'
import { nameOf, type TreeModel } from '../model/tree-model.ts'
import {
  Conflict,
  deleteAnyway,
  type Known,
  leafText,
  putGuarded,
  putPriority,
  readKnown,
  readPriority,
  rename,
  TooLarge,
} from './edits.ts'

/** What is edited in a row. */
export interface Editing {
  readonly path: readonly string[]
  readonly what: 'value' | 'key'
  readonly known: Known
  /** Value of the leaf; `undefined` for an object or nothing. */
  readonly value: Leaf | undefined
  readonly priority: Priority
}

/** Changes the tree for a person: each write has the condition that the node is still what that person saw. */
export class Editor {
  readonly #model: TreeModel
  readonly editing = signal<Editing | undefined>(undefined)

  constructor(model: TreeModel) {
    this.#model = model
  }

  /** Opens the editor of a value or key in its row, with what is there now. */
  async begin(path: readonly string[], what: Editing['what']): Promise<void> {
    await this.#attempt(async () => {
      const known = await readKnown(this.#model.client, path)
      const json = JSON.parse(known.text) as unknown
      this.editing.value = { path, what, known, ...leafOf(json) }
    })
  }

  cancel(): void {
    this.editing.value = undefined
  }

  /** @param json of the new value; the priority of a leaf stays */
  async saveValue(json: string): Promise<void> {
    const { path, known, priority } = this.editing.value ?? {}
    if (path === undefined || known === undefined) return
    const parsed = JSON.parse(json) as unknown
    const isLeaf = parsed !== null && typeof parsed !== 'object'
    const text = isLeaf ? leafText(parsed as Leaf, priority ?? null) : json
    this.cancel()
    await this.#guarded(path, text, known.etag)
  }

  async saveKey(key: string): Promise<void> {
    const { path, known } = this.editing.value ?? {}
    if (path === undefined || known === undefined) return
    this.cancel()
    if (key === path.at(-1)) return
    await this.#attempt(async () => {
      await rename(this.#model.client, path, key, known)
      this.#changed(path)
      this.#changed([...path.slice(0, -1), key])
      toast(`Renamed to “${key}”.`)
    })
  }

  /** Adds a child, where there is none of that key. */
  async add(parent: readonly string[], key: string, json: string): Promise<boolean> {
    const path = [...parent, key]
    return this.#attempt(async () => {
      try {
        await putGuarded(this.#model.client, path, json, undefined)
      } catch (thrown) {
        throw thrown instanceof Conflict ? new Error(`There is already a node “${key}”.`) : thrown
      }
      this.#changed(path)
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
        throw new Error(`Somebody has changed the priority meanwhile: it is now ${thrown.now.text}.`)
      }
      this.#changed(path)
    })
  }

  priorityOf(path: readonly string[]): Promise<Known> {
    return readPriority(this.#model.client, path)
  }

  /** Deletes a node; what it held can be put back as long as the message is shown. */
  async remove(path: readonly string[]): Promise<void> {
    await this.#attempt(async () => {
      let known: Known
      try {
        known = await readKnown(this.#model.client, path)
      } catch (thrown) {
        if (!(thrown instanceof TooLarge)) throw thrown
        await this.#removeLarge(path)
        return
      }
      await putGuarded(this.#model.client, path, 'null', known.etag)
      this.#changed(path)
      toast(`Deleted /${nameOf(path)}.`, { label: 'Undo', run: () => void this.#restore(path, known) })
    })
  }

  async #removeLarge(path: readonly string[]): Promise<void> {
    const agreed = await confirm({
      title: 'Delete a large node',
      text: 'It is too large to be put back afterwards. Export it first if you may need it again.',
      action: 'Delete',
      isDangerous: true,
      typed: path.at(-1) ?? '/',
    })
    if (!agreed) return
    await deleteAnyway(this.#model.client, path)
    this.#changed(path)
    toast(`Deleted /${nameOf(path)}.`)
  }

  async #restore(path: readonly string[], { text }: Known): Promise<void> {
    await this.#attempt(async () => {
      try {
        await putGuarded(this.#model.client, path, text, undefined)
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

  /** Asks what to do about a value that somebody else has written meanwhile. */
  async #settle(path: readonly string[], text: string, now: Known): Promise<void> {
    const shown = now.text.length > 300 ? `${now.text.slice(0, 300)}…` : now.text
    const agreed = await confirm({
      title: 'Somebody has changed this meanwhile',
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
