/** Requests over HTTPS watched one by one: how soon a large delete is acknowledged, how long large ones hold the loop. */
import { setTimeout as wait } from 'node:timers/promises'
import { untilQuiet } from '../harness/proc.ts'
import type { Figures } from '../harness/rounds.ts'
import { COPY_PATH, LARGE_PATH, largeList, urlOf, VICTIM_PATH, victim } from '../stock/blogs.ts'
import type { Running } from '../targets/target.ts'

/** The probe goes on for so long behind a request: what it leaves to clean is cleaned then. */
const AFTERMATH_MS = 300

/** Milliseconds from sending the DELETE of 100k leaves to its answer, the mean of all repeats. */
export async function timeDelete({ url, pid }: Running, repeats: number): Promise<Figures> {
  let deleteMs = 0
  // One that is not counted, so that no code runs for the first time.
  await send(url, 'PUT', VICTIM_PATH, JSON.stringify(largeList(0)))
  await send(url, 'DELETE', VICTIM_PATH)
  for (let count = 0; count < repeats; count++) {
    await send(url, 'PUT', VICTIM_PATH, JSON.stringify(victim()))
    await untilQuiet(pid)
    const start = performance.now()
    await send(url, 'DELETE', VICTIM_PATH)
    deleteMs += (performance.now() - start) / repeats
  }
  return { deleteMs }
}

/** Longest turns of the server's loop, in milliseconds, the worst of all repeats. The server must have a probe. */
export async function longestTurns({ url }: Running, repeats: number): Promise<Figures> {
  const body = JSON.stringify(largeList(1))
  const requests = {
    idle: async () => {},
    get: () => send(url, 'GET', LARGE_PATH),
    put: () => send(url, 'PUT', COPY_PATH, body),
    delete: () => send(url, 'DELETE', VICTIM_PATH),
  }
  const figures: Record<string, number> = {}
  for (let count = 0; count < repeats; count++) {
    await send(url, 'PUT', VICTIM_PATH, JSON.stringify(victim()))
    for (const [name, request] of Object.entries(requests)) {
      await wait(AFTERMATH_MS)
      await longestTurn(url)
      await request()
      await wait(AFTERMATH_MS)
      figures[name] = Math.max(figures[name] ?? 0, await longestTurn(url))
    }
  }
  return figures
}

async function longestTurn(url: string): Promise<number> {
  const response = await fetch(`${url}/longest-turn`, { tls: { rejectUnauthorized: false } })
  return Number(await response.text())
}

async function send(url: string, method: string, path: readonly string[], body?: string): Promise<void> {
  const init = body === undefined ? { method } : { method, body }
  const response = await fetch(url + urlOf(path), { ...init, tls: { rejectUnauthorized: false } })
  await response.arrayBuffer()
  if (!response.ok) throw new Error(`${method} ${path.join('/')}: ${response.status}`)
}
