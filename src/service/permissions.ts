import type { Query } from '../query/query.ts'
import { isPublic } from '../rules/authorize.ts'
import type { RuleSet } from '../rules/rule-set.ts'
import type { ReadLimit, TreeStore } from '../store/store.ts'
import type { Awaitable } from '../tree/awaitable.ts'
import type { Path } from '../tree/path.ts'
import type { Reads } from '../tree/read-request.ts'
import { type Access, Judge, RULES } from './judge.ts'
import type { RuleBook } from './rule-book.ts'
import { SettledReads } from './settled-reads.ts'

/** What is to be read, and for whom. */
interface Asked {
  readonly path: Path
  readonly query: Query | undefined
  readonly access: Access
  /** Throws where a read that is allowed is refused all the same. */
  readonly check?: (() => void) | undefined
}

/** Who may read what of one tree, by the rules in force. */
export class Permissions {
  readonly #store: TreeStore
  readonly #book: RuleBook
  readonly #settled = new SettledReads()

  constructor(store: TreeStore, book: RuleBook) {
    this.#store = store
    this.#book = book
  }

  /** The rules in force. */
  get rules(): RuleSet {
    return this.#book.of(this.#store.setting(RULES))
  }

  /** Says what a caller may; `undefined` when everything is allowed. */
  judgeOf({ as, onTrace }: Access): Judge | undefined {
    return as === undefined || as.kind === 'admin' ? undefined : new Judge(this.#book, as, onTrace)
  }

  /**
   * Reads what the rules allow.
   * @param read is given what is to be asked on the commit that it reads
   * @throws `permission-denied`
   */
  read<T>(asked: Asked, read: (judge: ReadLimit['judge']) => Awaitable<T>): Awaitable<T> {
    const isSettled = this.#isSettled(asked)
    const judge = isSettled ? undefined : this.judgeOf(asked.access)
    if (judge !== undefined) return read(() => this.#judged(judge, asked))
    asked.check?.()
    const found = read(undefined)
    return isSettled && found instanceof Promise ? this.#checked(found, asked) : found
  }

  *#judged(judge: Judge, { path, query, access, check }: Asked): Reads<void> {
    const { verdict, rules } = yield* judge.read(path, query)
    check?.()
    if (verdict.fixed && query === undefined && access.as !== undefined) this.#settled.add(access.as, rules, path)
  }

  /** What took its time may have been begun under other rules. */
  async #checked<T>(found: Promise<T>, { path, query, access }: Asked): Promise<T> {
    const value = await found
    const judge = this.judgeOf(access)
    if (judge !== undefined) await this.#store.read(() => judge.read(path, query))
    return value
  }

  /** Whether it is known that the rules allow it. Whoever wants to hear why has them asked. */
  #isSettled({ path, query, access: { as, onTrace } }: Asked): boolean {
    if (as === undefined || onTrace !== undefined) return false
    const { rules } = this
    return isPublic(rules) || (query === undefined && this.#settled.has(as, rules, path))
  }
}
