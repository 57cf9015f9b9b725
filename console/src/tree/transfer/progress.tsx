import { type Signal, signal } from '@preact/signals'
import { bytesText } from '../../parts/amounts.ts'
import { CallError, wordsOf } from '../../shell/call-error.ts'
import { openDialog } from '../../shell/dialogs.tsx'
import { toastError } from '../../shell/toasts.tsx'

/** How far a transfer is. */
export interface Progress {
  readonly bytes: number
  /** `undefined` where it is not known. */
  readonly total: number | undefined
}

/** Work that tells how far it is, until it is over or a person has stopped it. */
type Work<Result> = (onProgress: (progress: Progress) => void, over: AbortSignal) => Promise<Result>

interface Options {
  /** Shows the progress only of work that has come to so many bytes. Default: at once. */
  readonly fromBytes?: number
}

/**
 * Shows the progress of work, with a button that stops it. What goes wrong is shown as a message.
 * @returns the result; `undefined` where it has failed or was stopped
 */
export async function withProgress<Result>(
  title: string,
  work: Work<Result>,
  { fromBytes = 0 }: Options = {},
): Promise<Result | undefined> {
  const progress = signal<Progress>({ bytes: 0, total: undefined })
  const control = new AbortController()
  let close: (() => void) | undefined
  let closed: Promise<void> | undefined
  const show = () => {
    closed ??= openDialog(title, (end) => {
      close = end
      return <Meter progress={progress} onStop={end} />
    }).then(() => control.abort())
  }
  if (fromBytes === 0) show()
  try {
    return await work((now) => {
      progress.value = now
      if (now.bytes >= fromBytes) show()
    }, control.signal)
  } catch (thrown) {
    // A person who stops it, or chooses no file, needs no message.
    const isChosen = control.signal.aborted || (thrown instanceof DOMException && thrown.name === 'AbortError')
    if (!isChosen || thrown instanceof CallError) toastError(wordsOf(thrown))
    return undefined
  } finally {
    close?.()
    await closed
  }
}

function Meter({ progress, onStop }: { progress: Signal<Progress>; onStop: () => void }) {
  const { bytes, total } = progress.value
  return (
    <>
      <progress aria-label="Progress" {...(total === undefined ? {} : { value: bytes, max: total })} />
      <p role="status">
        {bytesText(bytes)}
        {total !== undefined && ` of ${bytesText(total)}`}
      </p>
      <div class="actions">
        <button type="button" onClick={onStop}>
          Stop
        </button>
      </div>
    </>
  )
}
