import { toast, toastError } from '../shell/toasts.tsx'

interface CopyButtonProps {
  readonly text: string
  /** What is copied, such as `super secret`. */
  readonly what: string
}

/** Puts a text into the clipboard. */
export function CopyButton({ text, what }: CopyButtonProps) {
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text)
      toast(`Copied the ${what}.`)
    } catch {
      toastError(new Error('The browser does not let this page use the clipboard: select the text and copy it.'))
    }
  }
  return (
    <button type="button" aria-label={`Copy ${what}`} onClick={() => void copy()}>
      Copy
    </button>
  )
}
