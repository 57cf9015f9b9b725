import { call } from '../../shell/call.ts'
import { CallError } from '../../shell/call-error.ts'
import type { TreeClient } from '../../shell/tree-client.ts'
import type { Progress } from '../transfer/progress.tsx'
import { JsonMeasure } from './json-measure.ts'

/** Tag of no node. */
export const NO_NODE = 'null_etag'
const MIB = 1024 * 1024
/** Largest copy that a page keeps. Browsers put such copies on their disk. */
const MOST_BYTES = 256 * MIB
/** The server counts the values and members of smaller bodies as those of one of this size. */
const LEAST_COUNTED = 16 * MIB
const BYTES_PER_VALUE = 8
const BYTES_PER_MEMBER = 80

/** What is known of a node before it is replaced or deleted. */
export interface Before {
  /** The node as `format=export` prints it; `undefined` where one write could not put it back. */
  readonly body: Blob | undefined
  /** Tag of the node; `undefined` of one that is too large to have one. */
  readonly etag: string | undefined
}

/** How far the reading is, and what ends it. */
export interface Reading {
  readonly onProgress: (progress: Progress) => void
  readonly signal: AbortSignal
}

/** Largest body of a write that the application takes. @throws CallError */
export async function largestWrite(client: TreeClient): Promise<number> {
  const { limits } = await call('application-settings', { id: client.application })
  return limits.maxWriteBytes
}

/** Reads a node that is about to be replaced: a copy of it, if the server would take that back with one write. @throws CallError */
export async function readBefore(client: TreeClient, path: readonly string[], reading: Reading): Promise<Before> {
  const maxWriteBytes = await largestWrite(client)
  if (!(await fitsOneWrite(client, path, maxWriteBytes, reading))) {
    return { body: undefined, etag: await tagOf(client, path, reading.signal) }
  }
  const reply = await client.ask(path, {
    parameters: { format: 'export' },
    headers: { 'X-Firebase-ETag': 'true' },
    signal: reading.signal,
  })
  const etag = reply.headers.get('ETag') ?? NO_NODE
  const length = Number(reply.headers.get('Content-Length') ?? Number.NaN)
  const total = Number.isNaN(length) ? undefined : length
  let bytes = 0
  const counted = passing(reply, (part) => {
    bytes += part.byteLength
    reading.onProgress({ bytes, total })
  })
  return { body: await new Response(counted).blob(), etag }
}

/** Whether the export of a node is no larger than one write may be. */
async function fitsOneWrite(
  client: TreeClient,
  path: readonly string[],
  maxWriteBytes: number,
  { onProgress, signal }: Reading,
): Promise<boolean> {
  const most = Math.min(MOST_BYTES, maxWriteBytes)
  const counted = Math.max(LEAST_COUNTED, maxWriteBytes)
  const count = await client.ask(path, { parameters: { count: 'true' }, signal })
  if (Number(await count.text()) > counted / BYTES_PER_MEMBER) return false
  // A whole export is sent in pieces as it is taken: one that is too large costs the server no more than what was taken.
  // Rules cannot be applied to it, so a user whose rules are seen reads the node at once.
  const whole = client.seenAs === '' ? { readSizeLimit: 'unlimited' } : {}
  const reply = await client.ask(path, { parameters: { format: 'export', ...whole }, signal })
  const measure = new JsonMeasure()
  const reader = reply.body?.getReader()
  for (let part = await reader?.read(); part?.done === false; part = await reader?.read()) {
    measure.add(part.value)
    onProgress({ bytes: measure.bytes, total: undefined })
    const isTooLarge =
      measure.bytes > most ||
      measure.values > counted / BYTES_PER_VALUE ||
      measure.mostMembers > counted / BYTES_PER_MEMBER
    if (!isTooLarge) continue
    reader?.cancel().catch(() => {})
    return false
  }
  return true
}

/** Tag of a node of any size that the server reads at once. */
async function tagOf(client: TreeClient, path: readonly string[], signal: AbortSignal): Promise<string | undefined> {
  try {
    const reply = await client.ask(path, { method: 'HEAD', headers: { 'X-Firebase-ETag': 'true' }, signal })
    return reply.headers.get('ETag') ?? NO_NODE
  } catch (thrown) {
    if (thrown instanceof CallError && thrown.status === 400) return undefined
    throw thrown
  }
}

function passing(reply: Response, onPart: (part: Uint8Array) => void): ReadableStream<Uint8Array> {
  const body = reply.body ?? new Blob([]).stream()
  return body.pipeThrough(
    new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform(part, controller) {
        onPart(part)
        controller.enqueue(part)
      },
    }),
  )
}
