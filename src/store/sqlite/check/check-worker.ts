/** Copies a file and examines the copy on a thread of its own, so that the caller can show progress. */
import { copyTree, digest, examineFile, type FileReport } from './examine.ts'

declare const self: Worker

export interface FileRequest {
  readonly file: string
  readonly target: string
  /** Expected checksum of the file, where it is known. */
  readonly sha256?: string
}

export type FileReply = { readonly examined: FileReport } | { readonly error: string }

self.onmessage = ({ data }: MessageEvent<FileRequest>) => {
  self.postMessage(reply(data))
}

function reply({ file, target, sha256 }: FileRequest): FileReply {
  try {
    if (sha256 !== undefined && digest(file).sha256 !== sha256) {
      return { error: 'it differs from the backed up file: its checksum is wrong' }
    }
    copyTree(file, target)
    return { examined: examineFile(target) }
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) }
  }
}
