import { DholeError } from '../../../error.ts'
import type { Steps } from '../../../scheduling/steps.ts'
import { runBriefly, runInTurns } from '../../../scheduling/turns.ts'
import type { Path } from '../../../tree/path.ts'
import type { ReadLimit } from '../../store.ts'
import { arrayOf } from '../connection/arrays.ts'
import type { Parameter, Statements } from '../connection/lane.ts'
import { columnsOf, type SlotStep, stepsOf, type WantedSlots } from '../slot-steps.ts'
import { KnownSlots, slotsAlong } from './known-slots.ts'
import { WALK, WALK_LIST, WALK_PATH, WALK_PATH_LIST } from './statements/tree-statements.ts'

/** Pages that a read takes without a place among the long ones. */
const FEW_PAGES = 8

/** A read turned out to be long, and no place is free: it begins anew when it has one. A waiting one would hold a snapshot. */
export class LongRead extends Error {
  constructor() {
    super('a long read')
  }
}

interface Guess {
  readonly text: string
  readonly parameters: readonly Parameter[]
  readonly rows: Promise<readonly object[]>
}

/** The node that a read is about. */
export interface Target {
  readonly path: Path
  /** Longest text that is read, in bytes; a longer one is left out. `null` for any. */
  readonly mostBytes: number | null
  /** Whether `mostBytes` is for strings alone. */
  readonly isForStrings?: boolean
  /** Name of an index over its children that is looked for. */
  readonly index?: string
}

/** A complete index. */
export interface ReadyIndex {
  readonly id: number
  /** Whether some entries hold only the beginning of their texts. */
  readonly hasCut: boolean
  /** Whether entries hold the short texts of the children. */
  readonly covering: boolean
}

interface WalkRow {
  readonly batch: number
  readonly seq: number
  readonly n: number | null
  readonly kind: number
  readonly value: string | null
  readonly id: number | null
  readonly children: number | null
  readonly traits: number | null
  readonly indexId?: number | null
  readonly hasCut?: boolean | null
  readonly covering?: boolean | null
}

/** One read on one snapshot: its statements, its bounds, and what it knows so far. */
export class Reading {
  readonly known: KnownSlots
  /** Number of the tree: first column of every table. */
  readonly tree: number
  readonly #statements: Statements
  readonly #deadline: number
  readonly #checkOpen: () => void
  /** Takes a place among the long reads; `false` when none is free. */
  readonly #takePlace: () => boolean
  #pages = 0
  #head: { readonly batch: number; readonly seq: number } | undefined
  #index: ReadyIndex | undefined
  /** A page that was asked for before it is known to be needed. */
  #guess: Guess | undefined

  /**
   * @param checkOpen throws once the store is closed
   * @param takePlace takes a place among the long reads; `false` when none is free
   * @param known where it puts what it reads
   */
  constructor(
    statements: Statements,
    tree: number,
    { timeoutMs }: Pick<ReadLimit, 'timeoutMs'>,
    checkOpen: () => void,
    takePlace: () => boolean,
    known = new KnownSlots(),
  ) {
    this.known = known
    this.#statements = statements
    this.tree = tree
    this.#takePlace = takePlace
    this.#deadline = performance.now() + timeoutMs
    this.#checkOpen = checkOpen
  }

  /** Number of the last batch in the snapshot, once `walk` was called. */
  get batch(): number {
    return this.#head?.batch ?? 0
  }

  /** Number of the last commit in the snapshot, once `walk` was called. */
  get seq(): number {
    return this.#head?.seq ?? 0
  }

  /** The index that the target has, if it is complete. */
  get index(): ReadyIndex | undefined {
    return this.#index
  }

  /** Reads slots. The first call also fixes the snapshot. @throws `unavailable` */
  async walk(wanted: readonly WantedSlots[], target?: Target): Promise<void> {
    const along = target === undefined ? undefined : (this.known.unknownOn(target.path) ?? slotsAlong(target.path))
    // The steps of the target come first, so that its last one has a known number.
    const all = along === undefined ? wanted : [along, ...wanted]
    const steps = stepsOf(all)
    const parameters = [
      along === undefined ? -1 : along.keys.length - 1,
      target?.mostBytes ?? null,
      target?.isForStrings !== true,
      ...(target?.index === undefined ? [] : [target.index]),
    ]
    const rows = await this.#found(all, steps, target?.index !== undefined, parameters)
    const [head] = rows
    if (head === undefined) throw new DholeError('internal', undefined, { cause: `no batch of the tree ${this.tree}` })
    this.#head ??= head
    const found: (WalkRow | undefined)[] = []
    for (const row of rows) if (row.n !== null) found[row.n] = row
    for (const [n, { above, parent, key }] of steps.entries()) {
      const at = parent ?? (above === null ? undefined : found[above])?.id ?? null
      // Below a text or a gap there are no slots.
      if (at !== null) this.#know(at, key, found[n])
    }
  }

  #found(
    wanted: readonly WantedSlots[],
    steps: readonly SlotStep[],
    isList: boolean,
    parameters: readonly Parameter[],
  ): Promise<readonly WalkRow[]> {
    const [only] = wanted
    if (only === undefined || wanted.length > 1) {
      return this.query(isList ? WALK_LIST : WALK, [this.tree, ...columnsOf(steps), ...parameters])
    }
    const path = [this.tree, only.parent, arrayOf(only.keys), ...parameters]
    return this.query(isList ? WALK_PATH_LIST : WALK_PATH, path)
  }

  /** Runs a statement on the snapshot. @throws `unavailable` */
  async query<R extends object>(text: string, parameters: readonly Parameter[]): Promise<readonly R[]> {
    this.#checkOpen()
    try {
      return await this.#statements.query<R>(text, parameters)
    } catch (error) {
      throw new DholeError('unavailable', undefined, { cause: error })
    }
  }

  /**
   * Sends the statement of the first page that work will most likely ask for, together with the statement before: the same
   * statement later costs no round trip more.
   * @param work is run up to that page, in this turn
   */
  guess(work: (reading: Reading) => Promise<unknown>): void {
    let isOpen = true
    const send = (text: string, parameters: readonly Parameter[]) => {
      if (!isOpen) return
      const rows = this.query(text, parameters)
      // It fails when it is used.
      rows.catch(() => {})
      this.#guess = { text, parameters, rows }
    }
    work(new FirstPage(this, send)).catch(() => {})
    isOpen = false
  }

  /**
   * As `query`, for one of several pages.
   * @throws `read-too-big` behind the deadline; `LongRead` when there are more than a few and no place for a long read is free
   */
  async page<R extends object>(text: string, parameters: readonly Parameter[]): Promise<readonly R[]> {
    this.#pages++
    if (this.#pages === FEW_PAGES + 1 && !this.#takePlace()) throw new LongRead()
    if (this.#pages > FEW_PAGES) this.check()
    const guess = this.#guess
    // The same statement on the same snapshot has the same rows.
    if (guess === undefined || !isSame(guess, text, parameters)) return this.query<R>(text, parameters)
    this.#guess = undefined
    return guess.rows as Promise<readonly R[]>
  }

  /** @throws `read-too-big` behind the deadline, `unavailable` once the store is closed */
  check(): void {
    if (performance.now() > this.#deadline) throw new DholeError('read-too-big')
    this.#checkOpen()
  }

  /** Runs short work at once, and longer work in several turns of the event loop. @throws as `check` */
  async run<T>(steps: Steps<T>): Promise<T> {
    const finished = runBriefly(steps)
    return finished === undefined ? runInTurns(steps, () => this.check()) : finished.value
  }

  #know(parent: number, key: string, row: WalkRow | undefined): void {
    if (row === undefined) {
      this.known.know(parent, key, undefined)
      return
    }
    const { kind, value, id, children, traits } = row
    const interior = id === null ? undefined : { id, childCount: children ?? 0, traits: traits ?? 0 }
    this.known.know(parent, key, { kind, value, id }, interior)
    const { indexId, hasCut, covering } = row
    if (typeof indexId === 'number') this.#index = { id: indexId, hasCut: hasCut === true, covering: covering === true }
  }
}

/** Takes the first page that is asked for, and ends the work that has asked. */
class FirstPage extends Reading {
  readonly #send: (text: string, parameters: readonly Parameter[]) => void

  constructor({ tree, known }: Reading, send: (text: string, parameters: readonly Parameter[]) => void) {
    const nothing: Statements = { query: () => Promise.reject(new Guessed()) }
    super(
      nothing,
      tree,
      { timeoutMs: Number.POSITIVE_INFINITY },
      () => {},
      () => true,
      known,
    )
    this.#send = send
  }

  override async page<R extends object>(text: string, parameters: readonly Parameter[]): Promise<readonly R[]> {
    this.#send(text, parameters)
    throw new Guessed()
  }
}

class Guessed extends Error {
  constructor() {
    super('only the first page was wanted')
  }
}

function isSame(guess: Guess, text: string, parameters: readonly Parameter[]): boolean {
  return guess.text === text && parameters.every((value, at) => isEqual(value, guess.parameters[at]))
}

function isEqual(left: Parameter, right: Parameter | undefined): boolean {
  if (!(left instanceof Uint8Array)) return left === right
  return right instanceof Uint8Array && Buffer.compare(left, right) === 0
}
