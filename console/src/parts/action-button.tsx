import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { toastError } from '../shell/toasts.tsx'

interface ActionButtonProps {
  readonly children: ComponentChildren
  /** Name for screen readers, where the visible text is not enough. */
  readonly label?: string
  readonly kind?: 'primary' | 'danger' | 'quiet'
  readonly disabled?: boolean
  /** Failures are shown as a message. Until it ends the button does nothing; it stays focusable, for the way back to it. */
  readonly run: () => Promise<void>
}

/** A button for something that takes a moment. */
export function ActionButton({ children, label, kind, disabled, run }: ActionButtonProps) {
  const isBusy = useSignal(false)
  const start = async () => {
    if (isBusy.value) return
    isBusy.value = true
    try {
      await run()
    } catch (thrown) {
      toastError(thrown)
    } finally {
      isBusy.value = false
    }
  }
  return (
    <button
      type="button"
      class={kind}
      aria-label={label}
      aria-busy={isBusy.value}
      aria-disabled={isBusy.value}
      disabled={disabled}
      onClick={() => void start()}
    >
      {children}
    </button>
  )
}
