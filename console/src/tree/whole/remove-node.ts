import { confirm } from '../../shell/dialogs.tsx'
import { toastError } from '../../shell/toasts.tsx'
import type { TreeClient } from '../../shell/tree-client.ts'
import { Conflict, deleteAnyway, putGuarded } from '../edit/edits.ts'
import { withProgress } from '../transfer/progress.tsx'
import { LATE_BYTES, toastWithUndo } from './put-back.ts'
import { NO_NODE, readBefore } from './whole-node.ts'

/** Deletes a node as it was read. What one write can put back can be put back as long as the message is shown. */
export async function removeNode(client: TreeClient, path: readonly string[], onChanged: () => void): Promise<void> {
  const read = withProgress('Delete', (onProgress, signal) => readBefore(client, path, { onProgress, signal }), {
    fromBytes: LATE_BYTES,
  })
  const before = await read
  if (before === undefined) return
  const { body, etag } = before
  if (body === undefined && !(await isSureOfLarge(path))) return
  try {
    if (etag === undefined) await deleteAnyway(client, path)
    else await putGuarded(client, path, 'null', etag)
  } catch (thrown) {
    if (thrown instanceof Conflict) await removeChanged(client, path, { body, onChanged })
    else toastError(thrown)
    return
  }
  onChanged()
  toastWithUndo(`Deleted /${path.join('/')}.`, { client, path, body, etag: NO_NODE, onUndone: onChanged })
}

interface Changed {
  readonly body: Blob | undefined
  readonly onChanged: () => void
}

/** Asks again about a node that has changed since it was read. */
async function removeChanged(client: TreeClient, path: readonly string[], { body, onChanged }: Changed): Promise<void> {
  const agreed = await confirm({
    title: 'The node has been changed meanwhile',
    text: `Nothing was deleted. Delete /${path.join('/')} with what it holds now?`,
    action: 'Delete',
    isDangerous: true,
  })
  if (!agreed) return
  if (body !== undefined) {
    await removeNode(client, path, onChanged)
    return
  }
  try {
    await deleteAnyway(client, path)
    onChanged()
    toastWithUndo(`Deleted /${path.join('/')}.`, { client, path, body, etag: NO_NODE, onUndone: onChanged })
  } catch (thrown) {
    toastError(thrown)
  }
}

function isSureOfLarge(path: readonly string[]): Promise<boolean> {
  return confirm({
    title: 'Delete a large node',
    text:
      'It is larger than one write may be (MAX_WRITE_BYTES), so it cannot be put back afterwards. ' +
      'Export it first if you may need it again.',
    action: 'Delete',
    isDangerous: true,
    typed: path.at(-1) ?? '/',
  })
}
