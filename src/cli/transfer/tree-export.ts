import { formatPath, type Path } from '../../tree/path.ts'
import type { TreeAdmin } from '../connect/tree-admin.ts'
import { STDIN as STDIO } from '../terminal/input.ts'
import { print, printJson, type ReportFlags } from '../terminal/output.ts'
import { ByteProgress, megabytes } from '../terminal/progress.ts'
import { type Destination, destinationOf } from './destination.ts'

/** Source and destination of an export. */
export interface ExportOptions {
  /** `-` is standard output. */
  readonly file: string
  readonly path: Path
  /** File for the rules. */
  readonly rules: string | undefined
}

/**
 * Writes a node to a file, atomically; a missing node is `null`.
 * @throws Error when the node cannot be read or the file cannot be written
 */
export async function exportTree(
  tree: TreeAdmin,
  { file, path, rules }: ExportOptions,
  { json, quiet }: ReportFlags,
): Promise<void> {
  const source = rules === undefined ? undefined : await tree.rules()
  using destination = destinationOf(file)
  const bytes = await writeTo(destination, tree.export(path), !json && !quiet)
  if (rules !== undefined && source !== undefined) {
    using rulesFile = destinationOf(rules)
    await rulesFile.write(source)
    rulesFile.finish()
  }
  destination.finish()
  // Standard output holds the data.
  if (file === STDIO) return
  if (json) printJson({ file, path: formatPath(path), bytes })
  else if (!quiet) print(`exported ${formatPath(path)}: ${megabytes(bytes)}`)
}

/** @returns number of bytes without the final newline */
async function writeTo(destination: Destination, pieces: AsyncIterable<Uint8Array>, isShown: boolean): Promise<number> {
  const progress = new ByteProgress(undefined, isShown)
  let bytes = 0
  try {
    for await (const piece of pieces) {
      bytes += piece.length
      await destination.write(piece)
      progress.show(bytes)
    }
    await destination.write('\n')
  } finally {
    progress.clear()
  }
  return bytes
}
