import { CallError, mayPass, wordsOf } from '../../shell/call-error.ts'
import type { TreeClient } from '../../shell/tree-client.ts'
import { type Detail, detailOf, isSameDetail, leafDetail } from './detail.ts'
import { limitedText } from './limited-text.ts'
import type { Row } from './rows.ts'

/** Requests at a time. */
const AT_ONCE = 8
/** Rows are asked for when the view has stood still for this long, in ms. */
const STILL_MS = 60
/** They are asked for after this time too, in ms, though the view moves on: changes draw it anew again and again. */
const LONGEST_MOVE_MS = 500
/** Shortest time between two questions for one row, in ms. */
const AGAIN_MS = 500
/** Time beyond that until a row is asked for again that the server could not answer, in ms. */
const RETRY_MS = 1500
/** Most bytes of a leaf that are read for its row. */
const MOST_BYTES = 16 * 1024

type ChildRow = Extract<Row, { kind: 'child' }>

/** Asks what the nodes of the rows in view are: leaves with values, or objects with numbers of children. */
export class DetailLoader {
  readonly #client: TreeClient
  readonly #onChange: () => void
  #wanted: readonly ChildRow[] = []
  #running = 0
  #timer: ReturnType<typeof setTimeout> | undefined
  readonly #askedAt = new Map<string, number>()
  /** When the view began to move after rows were asked for last, on the clock of `performance.now`. */
  #movesSince: number | undefined

  constructor(client: TreeClient, onChange: () => void) {
    this.#client = client
    this.#onChange = onChange
  }

  /** Names the rows in view; asks for those that nothing, or something outdated, is known of. */
  show(rows: readonly Row[]): void {
    this.#wanted = rows.filter((row) => row.kind === 'child')
    const now = performance.now()
    this.#movesSince ??= now
    this.#later(Math.min(STILL_MS, Math.max(0, this.#movesSince + LONGEST_MOVE_MS - now)))
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#wanted = []
  }

  #later(ms: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#pump(), ms)
  }

  #pump(): void {
    const now = performance.now()
    this.#movesSince = undefined
    let soonest: number | undefined
    for (const row of this.#wanted) {
      if (this.#running >= AT_ONCE) return
      const { page, key, branch } = row
      if (page.details.has(key) && !page.outdated.has(key)) continue
      const name = [...branch.path, key].join('/')
      const wait = (this.#askedAt.get(name) ?? Number.NEGATIVE_INFINITY) + AGAIN_MS - now
      if (wait > 0) soonest = Math.min(soonest ?? wait, wait)
      else void this.#ask(row, name, now)
    }
    if (soonest !== undefined) this.#later(soonest)
  }

  async #ask({ branch, page, key }: ChildRow, name: string, now: number): Promise<void> {
    this.#running++
    if (this.#askedAt.size > 1000) this.#askedAt.clear()
    this.#askedAt.set(name, now)
    page.outdated.delete(key)
    const before = page.details.get(key)
    const detail = await readDetail(this.#client, [...branch.path, key])
    this.#running--
    // A change has told meanwhile what it is: the answer may be of before.
    if (page.details.get(key) !== before) {
      this.#pump()
      return
    }
    if (detail.kind === 'nothing') page.isStale = true
    if (detail.kind === 'unreadable' && detail.mayPass) {
      page.outdated.add(key)
      this.#askedAt.set(name, performance.now() + RETRY_MS)
    }
    if (!isSameDetail(page.details.get(key), detail)) {
      page.details.set(key, detail)
      this.#onChange()
    }
    this.#pump()
  }
}

/** What a node is, at a small cost whatever its size. Never throws. */
export async function readDetail(client: TreeClient, path: readonly string[]): Promise<Detail> {
  try {
    const counted = await client.ask(path, { parameters: { count: 'true' } })
    const count = Number(await counted.text())
    if (count > 0) return { kind: 'object', count }
    const reply = await client.ask(path, { parameters: { format: 'export' } })
    const { text, isCut } = await limitedText(reply, MOST_BYTES)
    return isCut ? leafDetail(beginningOf(text), null, true) : detailOf(JSON.parse(text))
  } catch (thrown) {
    const isDenied = thrown instanceof CallError && (thrown.status === 401 || thrown.status === 403)
    return { kind: 'unreadable', reason: isDenied ? 'not allowed to read' : wordsOf(thrown), mayPass: mayPass(thrown) }
  }
}

/** The beginning of a long string, from the beginning of its JSON. */
function beginningOf(json: string): string {
  const [, text = ''] = /^(?:\{"\.value":)?"((?:[^"\\]|\\(?:u[0-9a-fA-F]{4}|[^u])){0,500})/.exec(json) ?? []
  return JSON.parse(`"${text}"`) as string
}
