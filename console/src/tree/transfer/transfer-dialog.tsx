import { bytesText } from '../../parts/amounts.ts'
import { confirm } from '../../shell/dialogs.tsx'
import { toast, toastError } from '../../shell/toasts.tsx'
import type { TreeClient } from '../../shell/tree-client.ts'
import { LATE_BYTES, toastWithUndo } from '../whole/put-back.ts'
import { type Before, largestWrite, readBefore } from '../whole/whole-node.ts'
import { withProgress } from './progress.tsx'
import { ChangedMeanwhile, exportNode, upload } from './transfer.ts'

/** Exports a node to a file, with its progress. */
export async function exportWithProgress(client: TreeClient, path: readonly string[]): Promise<void> {
  const name = `${(path.at(-1) ?? client.application).replace(/[^\w-]+/g, '_')}.json`
  await withProgress('Export', async (onProgress, over) => {
    await exportNode(client, path, name, onProgress, over)
    toast(`Exported ${name}.`)
  })
}

/** A file that replaces a node. */
interface Import {
  readonly client: TreeClient
  readonly path: readonly string[]
  readonly file: File
  /** Called when the node has changed. */
  readonly onChanged: () => void
}

/** Asks whether a file may replace a node as it is now, and imports it with its progress. @throws CallError */
export async function importWithProgress({ client, path, file, onChanged }: Import): Promise<void> {
  const most = await largestWrite(client)
  if (file.size > most) {
    toastError(
      `“${file.name}” has ${bytesText(file.size)}; one write takes ${bytesText(most)} (MAX_WRITE_BYTES). The command dhole import takes larger files.`,
    )
    return
  }
  const before = await withProgress(
    'Import',
    (onProgress, signal) => readBefore(client, path, { onProgress, signal }),
    { fromBytes: LATE_BYTES },
  )
  if (before === undefined || !(await mayReplace(path, file, before))) return
  await replace({ client, path, file, onChanged }, before)
}

async function replace(given: Import, { body, etag }: Before): Promise<void> {
  const { client, path, file, onChanged } = given
  let changed: ChangedMeanwhile | undefined
  const written = await withProgress('Import', async (onProgress, over) => {
    try {
      return await upload({ client, path, body: file, etag }, onProgress, over)
    } catch (thrown) {
      if (!(thrown instanceof ChangedMeanwhile)) throw thrown
      changed = thrown
      return undefined
    }
  })
  if (changed !== undefined) await replaceChanged(given, changed)
  else if (written !== undefined) {
    onChanged()
    const text = `Imported ${file.name} at /${path.join('/')}.`
    toastWithUndo(text, { client, path, body, etag: written, onUndone: onChanged })
  }
}

/** Asks again about a node that has changed since the question. */
async function replaceChanged(given: Import, { etag }: ChangedMeanwhile): Promise<void> {
  const agreed = await confirm({
    title: 'The node has been changed meanwhile',
    text: `Nothing was written. Replace what is at /${given.path.join('/')} now? That cannot be undone.`,
    action: 'Replace',
    isDangerous: true,
  })
  if (agreed) await replace(given, { body: undefined, etag })
}

function mayReplace(path: readonly string[], file: File, { body }: Before): Promise<boolean> {
  const text = `“${file.name}” (${bytesText(file.size)}) replaces everything at /${path.join('/')}.`
  if (body !== undefined) {
    return confirm({ title: 'Import a file', text, action: 'Replace', isDangerous: true })
  }
  return confirm({
    title: 'Import a file over a large node',
    text: `${text} What is there is larger than one write may be (MAX_WRITE_BYTES), so it cannot be put back afterwards.`,
    action: 'Replace',
    isDangerous: true,
    typed: path.at(-1) ?? '/',
  })
}
