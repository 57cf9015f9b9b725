import { checkRules } from '../database/access/rule-cache.ts'
import type { Database as Tree } from '../database/database.ts'
import type { QueryAnswer, ReadOptions, WatchedChange, WatchOptions } from '../database/read-types.ts'
import type { Appended, WriteOutcome } from '../database/writes/write-request.ts'
import type { IndexSpec } from '../query/index-declarations.ts'
import { type QueryLike, toQuery } from '../query/query.ts'
import type { IndexInfo, LoggedChange, Position } from '../store/store.ts'
import { joined } from '../tree/json/text-pieces.ts'
import { formatPath, type PathLike, toPath } from '../tree/path.ts'
import { checkJson } from './check-json.ts'
import { ConditionFailedError } from './condition-failed.ts'
import type {
  Database,
  NodeText,
  TransactionOptions,
  TransactionResult,
  ValueOptions,
  WriteOptions,
  Written,
} from './database.ts'
import { locatedError, locatedWriteError } from './located-error.ts'
import { transact, type Update } from './transaction.ts'
import { ValueListener } from './value-listener.ts'

/** The public interface of a tree: internals are unreachable, and errors name the path. */
export class EmbeddedDatabase implements Database {
  readonly #tree: Tree
  readonly #onClosed: (() => Promise<void>) | undefined

  /** @param onClosed ends what the tree was opened with */
  constructor(tree: Tree, onClosed?: () => Promise<void>) {
    this.#tree = tree
    this.#onClosed = onClosed
  }

  async get<T = unknown>(path: PathLike, options?: ReadOptions): Promise<T | null> {
    return (await this.#at(path, () => this.#tree.get(path, options))) as T | null
  }

  node(path: PathLike, options?: ReadOptions): Promise<NodeText | undefined> {
    return this.#at(path, () => this.#tree.node(path, options))
  }

  async query<T = unknown>(path: PathLike, query: QueryLike, options?: ReadOptions): Promise<QueryAnswer<T>> {
    return (await this.#at(path, () => this.#tree.query(path, query, options))) as QueryAnswer<T>
  }

  shallow(path: PathLike, like?: QueryLike, options?: ReadOptions): Promise<string | undefined> {
    return this.#at(path, async () => {
      const query = like && toQuery(like, this.#tree.profile)
      const text = await this.#tree.shallow(path, query, options)
      return text === undefined ? undefined : joined(text)
    })
  }

  count(path: PathLike, query?: QueryLike, options?: ReadOptions): Promise<number> {
    return this.#at(path, () => this.#tree.count(path, query, options))
  }

  async *export(path: PathLike): AsyncGenerator<string, void> {
    try {
      yield* this.#tree.export(path)
    } catch (error) {
      throw locatedError(path, error)
    }
  }

  async put(path: PathLike, json: unknown, options?: WriteOptions): Promise<Written> {
    return this.#write('put', path, json, () => this.#tree.put(path, json, options))
  }

  async delete(path: PathLike, options?: WriteOptions): Promise<Written> {
    return this.#write('put', path, null, () => this.#tree.delete(path, options))
  }

  async patch(path: PathLike, json: object | null, options?: WriteOptions): Promise<Written> {
    return this.#write('patch', path, json, () => this.#tree.patch(path, json, options))
  }

  async post(path: PathLike, json: unknown, options?: Omit<WriteOptions, 'ifMatch'>): Promise<Appended> {
    return this.#checked('put', path, json, () => this.#tree.post(path, json, options))
  }

  transaction<T = unknown>(
    path: PathLike,
    update: Update<T>,
    options: TransactionOptions = {},
  ): Promise<TransactionResult<T>> {
    const { as, onTrace } = options
    const node = {
      read: () => this.node(path, { as, onTrace }),
      write: (json: unknown, ifMatch: string) => this.put(path, json, { as, onTrace, ifMatch }),
    }
    return transact(node, update, options)
  }

  onValue<T = unknown>(
    path: PathLike,
    { onError, query, export: withPriorities, ...access }: ValueOptions,
    callback: (value: T | null) => void,
  ): () => void {
    const listener = new ValueListener(
      () => (query === undefined ? this.#tree.node(path, access) : this.#tree.select(path, query, access)),
      {
        onValue: (node) => {
          const text = withPriorities ? node?.export : node?.plain
          callback(text === undefined ? null : (JSON.parse(text) as T))
        },
        onError: (error) => onError(locatedError(path, error)),
      },
    )
    const options = { ...access, query, export: withPriorities }
    void listener.start((sink) => this.#tree.subscribe(path, options, sink))
    return () => listener.stop()
  }

  async *watch(path: PathLike, options?: WatchOptions): AsyncGenerator<WatchedChange, void> {
    const changes = this.#tree.watch(path, options)
    try {
      for (;;) {
        const { done, value } = await this.#at(path, () => changes.next())
        if (done) return
        yield value
      }
    } finally {
      await changes.return()
    }
  }

  declareIndexes(spec: IndexSpec): Promise<void> {
    return this.#tree.declareIndexes(spec)
  }

  async indexes(): Promise<readonly IndexInfo[]> {
    return this.#tree.indexes()
  }

  get rules(): string {
    return this.#tree.rules
  }

  setRules(source: string): Promise<void> {
    return this.#tree.setRules(source)
  }

  checkRules(source: string): void {
    checkRules(source)
  }

  get writeSizeLimit(): string {
    return this.#tree.writeSizeLimit
  }

  setWriteSizeLimit(size: string): Promise<void> {
    return this.#tree.setWriteSizeLimit(size)
  }

  position(): Position {
    return this.#tree.position()
  }

  async changesAfter(position: Position, limit: number): Promise<readonly LoggedChange[] | undefined> {
    return this.#tree.changesAfter(position, limit)
  }

  check(): Promise<void> {
    return this.#tree.check()
  }

  async close(): Promise<void> {
    await this.#tree.close()
    await this.#onClosed?.()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #write(
    kind: 'put' | 'patch',
    path: PathLike,
    json: unknown,
    write: () => Promise<WriteOutcome>,
  ): Promise<Written> {
    const outcome = await this.#checked(kind, path, json, write)
    if (outcome.kind === 'mismatch') {
      throw new ConditionFailedError(`${formatPath(toPath(path))}: ifMatch does not hold`, outcome.current)
    }
    return outcome
  }

  async #checked<R>(kind: 'put' | 'patch', path: PathLike, json: unknown, write: () => Promise<R>): Promise<R> {
    const keys = await this.#at(path, () => toPath(path))
    checkJson(json, keys)
    try {
      return await write()
    } catch (error) {
      throw locatedWriteError({ kind, path: keys, json }, this.#tree.limits, error)
    }
  }

  /** @throws the error of the work, with the path in its text */
  async #at<R>(path: PathLike, work: () => R | Promise<R>): Promise<R> {
    try {
      return await work()
    } catch (error) {
      throw locatedError(path, error)
    }
  }
}
