import { toast } from '../../shell/toasts.tsx'
import type { TreeClient } from '../../shell/tree-client.ts'
import { withProgress } from '../transfer/progress.tsx'
import { ChangedMeanwhile, upload } from '../transfer/transfer.ts'
import { NO_NODE } from './whole-node.ts'

/** Work with so many bytes shows its progress. */
export const LATE_BYTES = 2 * 1024 * 1024

/** A write that can be undone. */
export interface Written {
  readonly client: TreeClient
  readonly path: readonly string[]
  /** What was there before. */
  readonly body: Blob | undefined
  /** Tag of what the write has left. */
  readonly etag: string
  /** Called when the undo has written. */
  readonly onUndone: () => void
}

/** Shows what was done, with a button that puts back what was there before, unless something else is there by then. */
export function toastWithUndo(text: string, { body, ...written }: Written): void {
  toast(text, body === undefined ? undefined : { label: 'Undo', run: () => void putBack({ ...written, body }) })
}

async function putBack({ client, path, body, etag, onUndone }: Written & { readonly body: Blob }): Promise<void> {
  const put = withProgress(
    'Undo',
    async (onProgress, over) => {
      try {
        return await upload({ client, path, body, etag }, onProgress, over)
      } catch (thrown) {
        throw thrown instanceof ChangedMeanwhile
          ? new Error('Something else is there by now; it was left alone.')
          : thrown
      }
    },
    { fromBytes: LATE_BYTES },
  )
  if ((await put) === undefined) return
  onUndone()
  toast(etag === NO_NODE ? `/${path.join('/')} is there again.` : `/${path.join('/')} is what it was.`)
}
