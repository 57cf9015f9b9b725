import { shippedWorker } from '../../../files/shipped-file.ts'
import type { FileReply, FileRequest } from './check-worker.ts'
import type { FileReport } from './examine.ts'

/**
 * Copies a tree into a new file and examines the copy on another thread.
 * @param sha256 expected checksum of the file, where it is known
 * @throws Error when the file cannot be copied, or has another checksum
 */
export async function copyAndExamine(file: string, target: string, sha256?: string): Promise<FileReport> {
  const request: FileRequest = { file, target, ...(sha256 === undefined ? {} : { sha256 }) }
  const worker = new Worker(shippedWorker('src/store/sqlite/check/check-worker.ts'))
  try {
    const reply = await new Promise<FileReply>((resolve, reject) => {
      worker.onmessage = ({ data }: MessageEvent<FileReply>) => resolve(data)
      worker.onerror = ({ message }) => reject(new Error(message))
      worker.postMessage(request)
    })
    if ('error' in reply) throw new Error(`${request.file}: ${reply.error}`)
    return reply.examined
  } finally {
    worker.terminate()
  }
}
