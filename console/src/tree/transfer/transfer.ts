import { CallError } from '../../shell/call-error.ts'
import type { TreeClient } from '../../shell/tree-client.ts'
import { NO_NODE } from '../whole/whole-node.ts'
import type { Progress } from './progress.tsx'

/** The node is not what it was, and nothing was written. */
export class ChangedMeanwhile extends Error {
  /** Tag of the node as it is now. */
  readonly etag: string | undefined

  constructor(etag: string | undefined) {
    super('The node has been changed meanwhile; nothing was written.')
    this.etag = etag
  }
}

/** What is sent, and to where. */
interface Upload {
  readonly client: TreeClient
  readonly path: readonly string[]
  /** JSON. */
  readonly body: Blob
  /** Tag of what is replaced; `undefined` replaces whatever is there. */
  readonly etag: string | undefined
}

/**
 * Replaces a node with JSON of any length. Sent by XMLHttpRequest: `fetch` does not tell how much is sent.
 * @returns tag of what was written
 * @throws ChangedMeanwhile, CallError
 */
export async function upload(
  { client, path, body, etag }: Upload,
  onProgress: (progress: Progress) => void,
  signal: AbortSignal,
): Promise<string> {
  const credential = await client.credential()
  const request = new XMLHttpRequest()
  request.open('PUT', client.url(path, { print: 'silent' }))
  request.setRequestHeader('Authorization', credential)
  request.setRequestHeader('X-Firebase-ETag', 'true')
  if (etag !== undefined) request.setRequestHeader('if-match', etag)
  request.upload.onprogress = ({ loaded }) => onProgress({ bytes: loaded, total: body.size })
  signal.addEventListener('abort', () => request.abort())
  return new Promise((resolve, reject) => {
    const tag = () => request.getResponseHeader('ETag') ?? undefined
    request.onreadystatechange = () => {
      if (request.readyState !== XMLHttpRequest.HEADERS_RECEIVED || request.status !== 412) return
      // The rest of the answer is the node as it is now, which may be large.
      reject(new ChangedMeanwhile(tag()))
      request.abort()
    }
    request.onload = () => {
      if (request.status === 204) resolve(tag() ?? NO_NODE)
      else reject(new CallError(request.status, wordsOf(request.responseText, request.status)))
    }
    request.onerror = () => reject(new CallError(0, 'The server cannot be reached.'))
    request.onabort = () =>
      reject(new CallError(0, 'It was stopped. If all was sent already, it may have been written.'))
    request.send(body)
  })
}

function wordsOf(text: string, status: number): string {
  try {
    return String((JSON.parse(text) as { readonly error?: unknown }).error)
  } catch {
    return `The server answered ${status}.`
  }
}

/** A file that is written as it is received; parts where the browser cannot do that. */
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
