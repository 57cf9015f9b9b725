/** Many connections with one listen each, spread over processes: a process may have only so many files open. */
import { fileURLToPath } from 'node:url'
import { CHILD_LIFETIME_MS } from '../harness/child.ts'
import type { CrowdOrder, CrowdState } from './crowd-load.ts'

const SCRIPT = fileURLToPath(new URL('crowd-load.ts', import.meta.url))
/** Connections of one process. */
const MOST_OF_ONE = 5000

/** Where a crowd goes, and what it has of what it listens to. */
export interface Destination {
  readonly url: string
  readonly path: string
  readonly hash: string
}

export class Crowd implements Disposable {
  readonly #size: number
  readonly #members: readonly Member[]

  constructor(size: number) {
    this.#size = size
    this.#members = Array.from({ length: Math.ceil(size / MOST_OF_ONE) }, () => new Member())
  }

  /** Resolves when the listen of every connection is answered. */
  open(destination: Destination): Promise<CrowdState> {
    const { length } = this.#members
    const share = (member: number) =>
      Math.floor((this.#size * (member + 1)) / length) - Math.floor((this.#size * member) / length)
    return this.#all((member) => ({ kind: 'open', count: share(member), ...destination }))
  }

  /** All that is told, as of `CrowdOrder`. */
  tell(kind: Exclude<CrowdOrder['kind'], 'open'>): Promise<CrowdState> {
    return this.#all(() => ({ kind }))
  }

  async #all(order: (member: number) => CrowdOrder): Promise<CrowdState> {
    const states = await Promise.all(this.#members.map((member, index) => member.tell(order(index))))
    return {
      bytes: states.reduce((sum, { bytes }) => sum + bytes, 0),
      pushes: states.reduce((sum, { pushes }) => sum + pushes, 0),
    }
  }

  [Symbol.dispose](): void {
    for (const member of this.#members) member.end()
  }
}

/** One process; it takes one order at a time. */
class Member {
  readonly #child
  #told = Promise.withResolvers<CrowdState>()

  constructor() {
    this.#child = Bun.spawn([process.execPath, SCRIPT], {
      stdin: 'ignore',
      stdout: 'inherit',
      stderr: 'inherit',
      timeout: CHILD_LIFETIME_MS,
      ipc: (state: CrowdState) => this.#told.resolve(state),
      onExit: () => this.#told.reject(new Error('A process of connections has ended')),
    })
    this.#told.promise.catch(() => {})
  }

  tell(order: CrowdOrder): Promise<CrowdState> {
    this.#told = Promise.withResolvers()
    this.#child.send(order)
    return this.#told.promise
  }

  end(): void {
    this.#told.promise.catch(() => {})
    this.#child.kill('SIGKILL')
  }
}
