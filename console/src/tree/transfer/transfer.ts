import { CallError } from '../../shell/call-error.ts'
import type { TreeClient } from '../../shell/tree-client.ts'

/** How far a transfer is. */
export interface Progress {
  readonly bytes: number
  /** `undefined` where it is not known. */
  readonly total: number | undefined
}

/**
 * Replaces a node with the JSON of a file. Sent by XMLHttpRequest: `fetch` does not tell how much is sent.
 * @param etag of what is replaced, so that nothing that others wrote meanwhile is lost; `undefined` replaces whatever is there
 * @throws CallError; 412 where it has changed meanwhile
 */
export async function importFile(
  client: TreeClient,
  path: readonly string[],
  file: File,
  onProgress: (progress: Progress) => void,
  signal: AbortSignal,
  etag: string | undefined,
): Promise<void> {
  const credential = await client.credential()
  const request = new XMLHttpRequest()
  request.open('PUT', client.url(path, { print: 'silent' }))
  request.setRequestHeader('Authorization', credential)
  if (etag !== undefined) request.setRequestHeader('if-match', etag)
  request.upload.onprogress = ({ loaded }) => onProgress({ bytes: loaded, total: file.size })
  signal.addEventListener('abort', () => request.abort())
  return new Promise((resolve, reject) => {
    request.onload = () => {
      if (request.status === 204) resolve()
      else reject(new CallError(request.status, wordsOf(request.responseText, request.status)))
    }
    request.onerror = () => reject(new CallError(0, 'The server cannot be reached.'))
    request.onabort = () => reject(new CallError(0, 'The import was stopped.'))
    request.send(file)
  })
}

function wordsOf(text: string, status: number): string {
  if (status === 412) return 'Somebody has changed the node meanwhile; nothing was written.'
  try {
    return String((JSON.parse(text) as { readonly error?: unknown }).error)
  } catch {
    return `The server answered ${status}.`
  }
}

/** A file that is written as it is received; `undefined` where the browser has none or the person has chosen none. */
type Target = { readonly stream: WritableStream<Uint8Array> } | { readonly parts: Uint8Array<ArrayBuffer>[] }

/** Where browsers let a page write a file, an export of any size needs no memory. */
interface FilePicker {
  showSaveFilePicker?(options: {
    readonly suggestedName: string
  }): Promise<{ createWritable(): Promise<WritableStream> }>
}

/**
 * Saves a node as a file of JSON with priorities, whatever its size.
 * @throws CallError, or what the browser says when the file cannot be written
 */
export async function exportNode(
  client: TreeClient,
  path: readonly string[],
  name: string,
  onProgress: (progress: Progress) => void,
  signal: AbortSignal,
): Promise<void> {
  const whole = client.seenAs === '' ? { readSizeLimit: 'unlimited' } : {}
  const target = await targetFor(name)
  const reply = await client.ask(path, { parameters: { format: 'export', ...whole }, signal })
  const length = reply.headers.get('Content-Length')
  const total = length === null ? undefined : Number(length)
  let bytes = 0
  const counted = (reply.body ?? new Blob([]).stream()).pipeThrough(
    new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform(part, controller) {
        bytes += part.byteLength
        onProgress({ bytes, total })
        controller.enqueue(part)
      },
    }),
  )
  if ('stream' in target) {
    await counted.pipeTo(target.stream, { signal })
    return
  }
  const reader = counted.getReader()
  for (let part = await reader.read(); !part.done; part = await reader.read()) target.parts.push(part.value)
  download(new Blob(target.parts, { type: 'application/json' }), name)
}

async function targetFor(name: string): Promise<Target> {
  const { showSaveFilePicker } = window as unknown as FilePicker
  if (showSaveFilePicker === undefined) return { parts: [] }
  const handle = await showSaveFilePicker.call(window, { suggestedName: name })
  return { stream: await handle.createWritable() }
}

function download(blob: Blob, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(blob)
  link.download = name
  link.click()
  URL.revokeObjectURL(link.href)
}
