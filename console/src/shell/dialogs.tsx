import { signal, useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

interface OpenDialog {
  readonly title: string
  readonly content: (close: () => void) => ComponentChildren
  readonly onClose: () => void
}

const opened = signal<OpenDialog | undefined>(undefined)

/** What `confirm` asks. */
export interface Question {
  readonly title: string
  readonly text: string
  /** Label of the button that agrees. */
  readonly action: string
  readonly isDangerous?: boolean
  /** Text that has to be typed before the button can be pressed, such as the name of what is deleted. */
  readonly typed?: string
}

/**
 * Shows a modal dialog; one at a time, a new one closes the old. Escape and the close button close it.
 * @param content drawn inside; gets a function that closes the dialog
 * @returns resolves when it is closed
 */
export function openDialog(title: string, content: (close: () => void) => ComponentChildren): Promise<void> {
  opened.value?.onClose()
  return new Promise((resolve) => {
    opened.value = { title, content, onClose: resolve }
  })
}

/** Asks before something is done. @returns whether the person agreed */
export async function confirm(question: Question): Promise<boolean> {
  let agreed = false
  await openDialog(question.title, (close) => (
    <Confirmation
      question={question}
      onAnswer={(answer) => {
        agreed = answer
        close()
      }}
    />
  ))
  return agreed
}

interface ConfirmationProps {
  readonly question: Question
  readonly onAnswer: (agreed: boolean) => void
}

function Confirmation({ question, onAnswer }: ConfirmationProps) {
  const typed = useSignal('')
  const { text, action, isDangerous, typed: wanted } = question
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (wanted === undefined || typed.value === wanted) onAnswer(true)
      }}
    >
      <p>{text}</p>
      {wanted !== undefined && (
        <label>
          <span>
            Type <code>{wanted}</code> to go on
          </span>
          <input
            autocomplete="off"
            spellcheck={false}
            onInput={(event) => {
              typed.value = event.currentTarget.value
            }}
          />
        </label>
      )}
      <div class="actions">
        <button type="button" onClick={() => onAnswer(false)}>
          Cancel
        </button>
        <button
          type="submit"
          class={isDangerous === true ? 'danger' : 'primary'}
          disabled={wanted !== undefined && typed.value !== wanted}
        >
          {action}
        </button>
      </div>
    </form>
  )
}

/** The dialog that is open now. */
export function Dialogs() {
  const dialog = opened.value
  return dialog === undefined ? null : <Modal key={dialog.title} dialog={dialog} />
}

function Modal({ dialog }: { dialog: OpenDialog }) {
  const element = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const before = document.activeElement
    element.current?.showModal()
    return () => {
      if (before instanceof HTMLElement) before.focus()
    }
  }, [])
  const close = () => {
    if (opened.value === dialog) opened.value = undefined
    dialog.onClose()
  }
  return (
    <dialog ref={element} aria-labelledby="dialog-title" onClose={close}>
      <header>
        <h2 id="dialog-title">{dialog.title}</h2>
        <button type="button" class="quiet" aria-label="Close" onClick={close}>
          ×
        </button>
      </header>
      {dialog.content(close)}
    </dialog>
  )
}
