/** Copies and examines files on a thread of its own, so that whoever waits can show how far it is. */
import { copyTree, type Examined, examineFile } from './examine.ts'

declare const self: Worker

export interface FileRequest {
  readonly file: string
  /** Where it is copied to before the copy is examined; without, it is examined itself. */
  readonly target?: string
}

export type FileReply = { readonly examined: Examined } | { readonly error: string }

self.onmessage = ({ data: { file, target } }: MessageEvent<FileRequest>) => {
  self.postMessage(reply(file, target))
}

function reply(file: string, target: string | undefined): FileReply {
  try {
    if (target !== undefined) copyTree(file, target)
    return { examined: examineFile(target ?? file) }
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) }
  }
}
