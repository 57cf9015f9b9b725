import { type Signal, signal } from '@preact/signals'
import { CallError, wordsOf } from '../../shell/call-error.ts'
import { openDialog } from '../../shell/dialogs.tsx'
import { toast, toastError } from '../../shell/toasts.tsx'
import type { TreeClient } from '../../shell/tree-client.ts'
import { readKnown, TooLarge } from '../edit/edits.ts'
import { exportNode, importFile, type Progress } from './transfer.ts'

const MIB = 1024 * 1024

/** Exports a node to a file, with its progress. */
export async function exportWithProgress(client: TreeClient, path: readonly string[]): Promise<void> {
  const name = `${(path.at(-1) ?? client.application).replace(/[^\w-]+/g, '_')}.json`
  await withProgress('Export', async (progress, over) => {
    await exportNode(
      client,
      path,
      name,
      (now) => {
        progress.value = now
      },
      over,
    )
    toast(`Exported ${name}.`)
  })
}

/** Asks whether a file may replace a node, and imports it with its progress. @returns whether it was imported */
export async function importWithProgress(client: TreeClient, path: readonly string[], file: File): Promise<boolean> {
  const agreed = await askFirst(path, file)
  if (!agreed) return false
  const etag = await tagOf(client, path)
  let isDone = false
  await withProgress('Import', async (progress, over) => {
    await importFile(
      client,
      path,
      file,
      (now) => {
        progress.value = now
      },
      over,
      etag,
    )
    isDone = true
    toast(`Imported ${file.name} at /${path.join('/')}.`)
  })
  return isDone
}

/** Tag of what is replaced; `undefined` of a node that is too large to be read for it. */
async function tagOf(client: TreeClient, path: readonly string[]): Promise<string | undefined> {
  try {
    return (await readKnown(client, path)).etag
  } catch (thrown) {
    if (thrown instanceof TooLarge) return undefined
    throw thrown
  }
}

async function askFirst(path: readonly string[], file: File): Promise<boolean> {
  let agreed = false
  await openDialog('Import a file', (close) => (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        agreed = true
        close()
      }}
    >
      <p>
        “{file.name}” ({sizeOf(file.size)}) replaces everything at <code>/{path.join('/')}</code>.
      </p>
      <div class="actions">
        <button type="button" onClick={close}>
          Cancel
        </button>
        <button type="submit" class="danger">
          Replace
        </button>
      </div>
    </form>
  ))
  return agreed
}

async function withProgress(
  title: string,
  work: (progress: Signal<Progress>, over: AbortSignal) => Promise<void>,
): Promise<void> {
  const progress = signal<Progress>({ bytes: 0, total: undefined })
  const control = new AbortController()
  let end = () => {}
  const closed = openDialog(title, (close) => {
    end = close
    return <Meter progress={progress} onStop={close} />
  }).then(() => control.abort())
  try {
    await work(progress, control.signal)
  } catch (thrown) {
    // Closing the dialog of a file is no failure.
    const isChosen = control.signal.aborted || (thrown instanceof DOMException && thrown.name === 'AbortError')
    if (!isChosen || thrown instanceof CallError) toastError(wordsOf(thrown))
  } finally {
    end()
    await closed
  }
}

function Meter({ progress, onStop }: { progress: Signal<Progress>; onStop: () => void }) {
  const { bytes, total } = progress.value
  return (
    <>
      <progress aria-label="Progress" {...(total === undefined ? {} : { value: bytes, max: total })} />
      <p role="status">
        {sizeOf(bytes)}
        {total !== undefined && ` of ${sizeOf(total)}`}
      </p>
      <div class="actions">
        <button type="button" onClick={onStop}>
          Stop
        </button>
      </div>
    </>
  )
}

function sizeOf(bytes: number): string {
  return bytes < MIB ? `${Math.ceil(bytes / 1024)} KiB` : `${(bytes / MIB).toFixed(1)} MiB`
}
