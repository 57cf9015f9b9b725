/** What the clients of this chapter listen to. */
import { readFileSync } from 'node:fs'

export const ROOM_PATH = '/rooms/busy'
/** What they count in. */
export const COUNTER_PATH = '/counter'
/** 1 KB. */
export const ROOM = 'A room that many listen to. '.repeat(37).slice(0, 1022)

/** Writes to the room over HTTPS. @throws unless it is acknowledged */
export async function putOverRest(url: string, value: string): Promise<void> {
  const init = { method: 'PUT', body: JSON.stringify(value), tls: { rejectUnauthorized: false } }
  const response = await fetch(`${url}${ROOM_PATH}.json`, init)
  await response.arrayBuffer()
  if (!response.ok) throw new Error(`A write was answered with ${response.status}`)
}

/** Files that a process may open on this machine. */
export function openFilesLimit(): number {
  const [, hard] = /^Max open files\s+\S+\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
  return Number(hard ?? Number.POSITIVE_INFINITY)
}
