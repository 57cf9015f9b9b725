import { signal } from '@preact/signals'
import { wordsOf } from './call-error.ts'

/** A button of a toast. */
export interface ToastAction {
  readonly label: string
  readonly run: () => void
}

interface Toast {
  readonly id: number
  readonly text: string
  readonly kind: 'info' | 'error'
  readonly action: ToastAction | undefined
}

/** How long a toast stays, in ms; one with an action stays longer. */
const STAY_MS = 5000
const STAY_WITH_ACTION_MS = 60_000
const MOST = 5

const toasts = signal<readonly Toast[]>([])
let lastId = 0

/** Shows a short message that goes by itself. */
export function toast(text: string, action?: ToastAction): void {
  show(text, 'info', action)
}

/** Shows what went wrong. */
export function toastError(thrown: unknown): void {
  show(wordsOf(thrown), 'error', undefined)
}

function show(text: string, kind: Toast['kind'], action: ToastAction | undefined): void {
  const id = ++lastId
  toasts.value = [...toasts.value, { id, text, kind, action }].slice(-MOST)
  setTimeout(() => dismiss(id), action === undefined && kind === 'info' ? STAY_MS : STAY_WITH_ACTION_MS)
}

function dismiss(id: number): void {
  toasts.value = toasts.value.filter((shown) => shown.id !== id)
}

/** The toasts that are shown now. */
export function Toasts() {
  return (
    <section class="toasts" aria-label="Messages" aria-live="polite">
      {toasts.value.map(({ id, text, kind, action }) => (
        <div key={id} class={`toast ${kind}`} role={kind === 'error' ? 'alert' : 'status'}>
          <span>{text}</span>
          {action !== undefined && (
            <button
              type="button"
              onClick={() => {
                dismiss(id)
                action.run()
              }}
            >
              {action.label}
            </button>
          )}
          <button type="button" class="quiet" aria-label="Close message" onClick={() => dismiss(id)}>
            ×
          </button>
        </div>
      ))}
    </section>
  )
}
