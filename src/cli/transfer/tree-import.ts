import { resolve } from 'node:path'
import type { TreeFacts } from '../../admin/operations/tree-operations.ts'
import { messageOf } from '../../files/system-error.ts'
import { parseRules } from '../../rules/file/rule-set.ts'
import { defaultLimits, type Limits } from '../../tree/limits.ts'
import { formatPath, type Path } from '../../tree/path.ts'
import type { TreeAdmin } from '../connect/tree-admin.ts'
import { fileName, readText, STDIN, sizeOf } from '../terminal/input.ts'
import { print, printJson, type ReportFlags } from '../terminal/output.ts'
import { ByteProgress, megabytes } from '../terminal/progress.ts'
import {
  type ImportPosition,
  positionFile,
  readPosition,
  removePosition,
  sourceOf,
  writePosition,
} from './import-position.ts'
import { bytesOf, DamagedError } from './import-source.ts'
import { type HeldPriorities, Importing, pathsOfOpen } from './importing.ts'
import { JsonFault } from './json-fault.ts'
import { BrokenText } from './json-slice.ts'
import { JsonSlicer } from './json-slicer.ts'

/** Maximum text of one write, in bytes: a few milliseconds of work for the server. */
const SLICE_BYTES = 256 * 1024
/** Bytes between two saved positions. */
const SAVE_EVERY_BYTES = 8 * 1024 * 1024
/** Maximum text of one character of a leaf: `\u0041`. */
const LONGEST_ESCAPE = 6

/** Source and mode of an import. */
export interface ImportOptions {
  /** `-` is standard input. */
  readonly file: string
  readonly path: Path
  /** Keeps children that the text does not name. */
  readonly merge: boolean
  /** Continues at the saved position. */
  readonly resume: boolean
  /** File of rules to set after the data. */
  readonly rules: string | undefined
  /** Name of the tree in the saved position. */
  readonly target: string
}

/**
 * Imports a file of any size, and prints its size. Other clients see the parts as they are written.
 * @throws Error with the position of the fault; nothing behind it is written
 */
export async function importTree(tree: TreeAdmin, order: ImportOptions, { json, quiet }: ReportFlags): Promise<void> {
  const { file, path, rules: rulesFile } = order
  const rules = rulesFile === undefined ? undefined : await rulesOf(rulesFile)
  const facts = await tree.facts()
  const run = new ImportRun(tree, order, facts, await positionFor(order, facts), !json && !quiet)
  const begin = performance.now()
  await run.import()
  if (rules !== undefined) await tree.setRules(rules)
  run.forget()
  const seconds = (performance.now() - begin) / 1000
  if (json)
    printJson({ file: fileName(file), path: formatPath(path), bytes: run.bytes, seconds, rules: rules !== undefined })
  if (json || quiet) return
  const what = `imported ${fileName(file)} into ${formatPath(path)}: ${megabytes(run.bytes)} in ${seconds.toFixed(1)} s`
  print(`${what}${rules === undefined ? '' : ', and its rules'}`)
}

/** One import, from the start or from a saved position to the end. */
class ImportRun {
  readonly #order: ImportOptions
  readonly #importing: Importing
  readonly #slicer: JsonSlicer
  readonly #begin: ImportPosition | undefined
  readonly #progress: ByteProgress
  #noted: number
  /** Offset of the last saved position. */
  #durable: number
  /** Bytes of the file read. */
  bytes = 0

  /**
   * @param note position to start at; `undefined` when positions cannot be saved
   * @param isShown shows the progress on the terminal
   */
  constructor(
    tree: TreeAdmin,
    order: ImportOptions,
    { maxLeafBytes }: TreeFacts,
    note: ImportPosition | undefined,
    isShown: boolean,
  ) {
    const { path, merge, file } = order
    const limits: Limits = { ...defaultLimits, maxLeafBytes }
    const priorities: HeldPriorities = new Map()
    for (const [depth, place] of pathsOfOpen(path, note?.open ?? []).entries()) {
      const priority = note?.open[depth]?.priority
      if (priority !== undefined) priorities.set(formatPath(place), priority)
    }
    this.#order = order
    this.#begin = note
    this.#noted = note?.offset ?? 0
    this.#durable = this.#noted
    this.#importing = new Importing({ tree, path, limits, merge }, priorities)
    this.#slicer = new JsonSlicer(SLICE_BYTES, LONGEST_ESCAPE * maxLeafBytes + SLICE_BYTES, note)
    this.#progress = new ByteProgress(sizeOf(file), isShown)
  }

  async import(): Promise<void> {
    const { file } = this.#order
    if (this.#begin !== undefined) writePosition(file, this.#begin)
    try {
      const pieces = bytesOf(file, this.#begin?.offset ?? 0, (count) => {
        this.bytes += count
      })
      for await (const piece of pieces) {
        for (const slice of this.#slicer.push(piece)) await this.#importing.take(slice, () => this.#saveLater())
        this.#progress.show(this.bytes)
      }
      for (const slice of this.#slicer.end()) await this.#importing.take(slice)
      await this.#importing.settled()
    } catch (cause) {
      // An error of the pending write is not reported: the import has failed already.
      await this.#importing.settled().catch(() => {})
      this.#fail(cause)
    } finally {
      this.#progress.clear()
    }
  }

  /** Removes the saved position: the import is complete. */
  forget(): void {
    if (this.#begin !== undefined) removePosition(this.#order.file)
  }

  /** Function that saves the position when the slice is durable; `undefined` for most slices. */
  #saveLater(): (() => void) | undefined {
    const begin = this.#begin
    if (begin === undefined) return undefined
    const { offset, open } = this.#slicer.position
    if (offset - this.#noted < SAVE_EVERY_BYTES) return undefined
    this.#noted = offset
    const places = pathsOfOpen(this.#order.path, open)
    const note: ImportPosition = {
      ...begin,
      offset,
      open: open.map((container, depth) => {
        const priority = this.#importing.priorityOf(places[depth] ?? [])
        return priority === undefined ? { ...container } : { ...container, priority }
      }),
    }
    return () => {
      writePosition(this.#order.file, note)
      this.#durable = offset
    }
  }

  #fail(cause: unknown): never {
    const name = fileName(this.#order.file)
    const fault = cause instanceof BrokenText ? this.#importing.faultOf(cause) : cause
    // A faulty file has to be corrected, so its saved position is useless.
    const isFaulty = fault instanceof JsonFault || cause instanceof DamagedError
    const hasProgress = !isFaulty && this.#durable > 0
    if (!hasProgress) this.forget()
    if (fault instanceof JsonFault) {
      const place = `at byte ${fault.offset}, ${JSON.stringify(formatPath(fault.path))}`
      throw new Error(`${name}: ${place}: ${fault.message}; nothing from there on is imported`, { cause })
    }
    const isUnread = this.bytes === (this.#begin?.offset ?? 0)
    const partly = isUnread ? 'nothing is imported' : 'it may be imported in part'
    const rest = hasProgress ? 'give --resume to go on' : partly
    throw new Error(`${name}: ${messageOf(cause)}; ${rest}`, { cause })
  }
}

/** Start position of an import. @throws Error when the saved position belongs to another import */
async function positionFor(
  { file, target, merge, resume }: ImportOptions,
  { epoch }: TreeFacts,
): Promise<ImportPosition | undefined> {
  if (file === STDIN) return undefined
  const size = sizeOf(file)
  if (size === undefined) return undefined
  const source = await sourceOf(file)
  const whole = `${target}${merge ? ', merged' : ''}`
  const fresh: ImportPosition = {
    source,
    target: whole,
    ...(epoch === undefined ? {} : { epoch }),
    offset: 0,
    open: [],
  }
  const note = resume ? readPosition(file) : undefined
  if (note === undefined) return fresh
  const name = positionFile(resolve(file))
  if (JSON.stringify(note.source) !== JSON.stringify(source)) {
    throw new Error(`${name} is about another file of that name: remove it to begin anew`)
  }
  if (note.target !== whole) throw new Error(`${name} is about an import into ${note.target}: remove it to begin anew`)
  if (note.epoch !== epoch) throw new Error(`${name}: the tree was restored since: remove it to begin anew`)
  return note
}

async function rulesOf(file: string): Promise<string> {
  const source = await readText(file)
  try {
    parseRules(source)
    return source
  } catch (cause) {
    throw new Error(`${fileName(file)}: ${messageOf(cause)}`, { cause })
  }
}
