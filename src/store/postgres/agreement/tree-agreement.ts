import { DholeError } from '../../../error.ts'
import type { AppliedTree } from '../applied-tree.ts'
import { LogFlag } from '../batch.ts'
import type { Follower } from '../follow/follower.ts'
import type { ProcessRow } from '../processes.ts'
import { type Confirmations, NotConfirmed } from './confirmations.ts'

interface AgreementParts {
  readonly tree: AppliedTree
  readonly follower: Follower
  readonly row: ProcessRow
  readonly confirmations: Confirmations
}

/** What the processes that have one tree open exchange beside its data. */
export class TreeAgreement {
  readonly #parts: AgreementParts
  readonly #onApplication: (() => Promise<void>)[] = []
  readonly #ends: readonly (() => void)[]
  /** Resolves when everything acts on the applied batch. */
  #settled: Promise<unknown> = Promise.resolve()

  #isClosed = false

  constructor(parts: AgreementParts) {
    const { tree, follower, row, confirmations } = parts
    this.#parts = parts
    this.#ends = [
      confirmations.follow(tree.tree, {
        reach: (batch) => follower.reach(batch),
        settled: () => this.#allSettled(),
      }),
      row.onReturn(async () => {
        // First: the tree of a removed application may be gone.
        this.#applicationChanged()
        await this.#allSettled()
        if (this.#isClosed) return
        await follower.pull()
        await this.#allSettled()
      }),
    ]
  }

  /** Whether this process must send nothing to clients. */
  get isSilent(): boolean {
    return this.#parts.row.isSilent
  }

  /** Falls silent when it is time. Call it before clients learn what a batch has changed. */
  check(): void {
    this.#parts.row.check()
  }

  /** A batch is applied. @param later what still has to be done because of its settings */
  applied(flags: number, later: Promise<unknown> | undefined): void {
    if (later !== undefined) this.#settled = Promise.all([this.#settled, later])
    if ((flags & LogFlag.application) !== 0) this.#applicationChanged()
  }

  /** Called when the row of the application may have changed. It must not reject. */
  onApplication(listener: () => Promise<void>): void {
    this.#onApplication.push(listener)
  }

  /** Resolves when every process that has the tree open acts on the applied batch. @throws `unavailable` */
  async everywhere(): Promise<void> {
    const { tree, confirmations } = this.#parts
    try {
      await confirmations.everywhere({ tree: tree.tree, batch: tree.batch.batch })
    } catch (error) {
      throw error instanceof NotConfirmed ? new DholeError('unavailable', undefined, { cause: error }) : error
    }
  }

  close(): void {
    this.#isClosed = true
    for (const end of this.#ends) end()
  }

  #applicationChanged(): void {
    this.#settled = Promise.all([this.#settled, ...this.#onApplication.map((listener) => listener())])
  }

  async #allSettled(): Promise<void> {
    for (let settled: unknown; settled !== this.#settled; ) {
      settled = this.#settled
      await settled
    }
  }
}
