import { CallError, errorOf } from '../../shell/call-error.ts'
import type { TreeClient } from '../../shell/tree-client.ts'
import type { Leaf, Priority } from '../model/detail.ts'
import { limitedText } from '../model/limited-text.ts'
import { NO_NODE } from '../whole/whole-node.ts'

/** Largest node that is read to be edited, in bytes of its export. */
const MOST_BYTES = 4 * 1024 * 1024
/** Largest number of children of such a node. */
const MOST_CHILDREN = 50_000
/** Most bytes that are read of what another client has written. */
const SHOWN_BYTES = 16 * 1024

/** A node as it was read before a change. */
export interface Known {
  /** JSON of `format=export`. */
  readonly text: string
  readonly etag: string
}

/** A write was refused because the node was changed meanwhile. */
export class Conflict extends Error {
  /** The node as it is now, or the beginning of a long text of it. */
  readonly now: Known

  constructor(now: Known) {
    super('The node has been changed meanwhile.')
    this.now = now
  }
}

/** The node is too large to be read before a change. */
export class TooLarge extends Error {}

/** Reads a node with its tag. @throws TooLarge, CallError */
export async function readKnown(client: TreeClient, path: readonly string[]): Promise<Known> {
  const counted = await client.ask(path, { parameters: { count: 'true' } })
  if (Number(await counted.text()) > MOST_CHILDREN) throw new TooLarge('The node is too large for this.')
  // A whole export is sent in pieces as it is taken: one that is too large costs the server no more than what was taken.
  // Rules cannot be applied to it, so a user whose rules are seen reads the node at once.
  const whole = client.seenAs === '' ? { readSizeLimit: 'unlimited' } : {}
  const probe = await client.ask(path, { parameters: { format: 'export', ...whole } })
  if ((await limitedText(probe, MOST_BYTES)).isCut) throw new TooLarge('The node is too large for this.')
  const reply = await client.ask(path, {
    parameters: { format: 'export' },
    headers: { 'X-Firebase-ETag': 'true' },
  })
  return { text: await reply.text(), etag: reply.headers.get('ETag') ?? NO_NODE }
}

/**
 * Replaces a node if it is still what it was.
 * @param body JSON, with `.value` and `.priority` where there is a priority; 'null' deletes
 * @param etag tag of what is replaced; `undefined` where there must be no node yet
 * @returns tag of the new node
 * @throws Conflict, CallError
 */
export async function putGuarded(
  client: TreeClient,
  path: readonly string[],
  body: string | Blob,
  etag: string | undefined,
): Promise<string> {
  const reply = await client.fetch(path, {
    method: 'PUT',
    body,
    headers: { 'if-match': etag ?? NO_NODE, 'X-Firebase-ETag': 'true' },
    parameters: { print: 'silent' },
  })
  const tag = reply.headers.get('ETag') ?? NO_NODE
  if (reply.status === 412) throw new Conflict({ text: (await limitedText(reply, SHOWN_BYTES)).text, etag: tag })
  if (!reply.ok) throw await errorOf(reply)
  return tag
}

/** Deletes a node, whatever it holds now. @throws CallError */
export async function deleteAnyway(client: TreeClient, path: readonly string[]): Promise<void> {
  await client.ask(path, { method: 'DELETE', parameters: { print: 'silent' } })
}

/** A node as it was read before it is renamed. */
export interface Whole {
  readonly body: Blob
  readonly etag: string
}

/**
 * Gives a node another key below the same parent: writes it there where there is nothing, then deletes it here if it is
 * still what it was, and else takes the first write back.
 * @throws Conflict where the node has changed, or there is one of the new key; CallError
 */
export async function rename(
  client: TreeClient,
  path: readonly string[],
  newKey: string,
  { body, etag }: Whole,
): Promise<void> {
  const target = [...path.slice(0, -1), newKey]
  let made: string
  try {
    made = await putGuarded(client, target, body, undefined)
  } catch (thrown) {
    throw thrown instanceof Conflict ? new CallError(412, `There is already a node “${newKey}”.`) : thrown
  }
  try {
    await putGuarded(client, path, 'null', etag)
  } catch (thrown) {
    // It stays where it was changed since.
    await putGuarded(client, target, 'null', made).catch(() => {})
    throw thrown
  }
}

/** Sets or clears a priority if it is still what it was. @throws Conflict, CallError */
export async function putPriority(
  client: TreeClient,
  path: readonly string[],
  priority: Priority,
  known: Known,
): Promise<void> {
  await putGuarded(client, [...path, '.priority'], JSON.stringify(priority), known.etag)
}

/** JSON of a leaf with its priority. */
export function leafText(value: Leaf, priority: Priority): string {
  return JSON.stringify(priority === null ? value : { '.value': value, '.priority': priority })
}

/** Reads a priority with its tag. @throws CallError */
export async function readPriority(client: TreeClient, path: readonly string[]): Promise<Known> {
  const reply = await client.ask([...path, '.priority'], { headers: { 'X-Firebase-ETag': 'true' } })
  return { text: await reply.text(), etag: reply.headers.get('ETag') ?? NO_NODE }
}
