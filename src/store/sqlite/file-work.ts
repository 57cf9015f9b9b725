import type { Examined } from './examine.ts'
import type { FileReply, FileRequest } from './file-worker.ts'

/**
 * Copies a tree into a new file and examines the copy, on another thread.
 * @throws Error when it cannot be copied
 */
export function copyAndExamine(file: string, target: string): Promise<Examined> {
  return work({ file, target })
}

/** Examines a closed file on another thread. @throws Error when it cannot be read at all */
export function examineApart(file: string): Promise<Examined> {
  return work({ file })
}

async function work(request: FileRequest): Promise<Examined> {
  const worker = new Worker(new URL('./file-worker.ts', import.meta.url))
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
