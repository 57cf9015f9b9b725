import { resolve } from 'node:path'
import type { TreeAdmin, TreeFacts } from '../../admin/tree-admin.ts'
import { parseRules } from '../../rules/file/rule-set.ts'
import { defaultLimits, type Limits } from '../../tree/limits.ts'
import { formatPath, type Path } from '../../tree/path.ts'
import { sizeOf } from '../sms/input.ts'
import { fileName, readText, STDIN } from '../terminal/input.ts'
import { print, printJson, type ReportFlags } from '../terminal/output.ts'
import { ByteProgress, megabytes } from '../terminal/progress.ts'
import { type ImportNote, noteFile, readNote, removeNote, sourceOf, writeNote } from './import-position.ts'
import { bytesOf, DamagedError } from './import-source.ts'
import { type HeldPriorities, Importing, pathsOfOpen } from './importing.ts'
import { JsonFault } from './json-fault.ts'
import { BrokenText } from './json-slice.ts'
import { JsonSlicer } from './json-slicer.ts'

/** Text that is written at once, in bytes: a few milliseconds of work for whoever writes it. */
const SLICE_BYTES = 256 * 1024
/** Text written between two notes of how far it has come, in bytes. */
const NOTE_EVERY_BYTES = 8 * 1024 * 1024
/** A character of a leaf as text at its longest: `\u0041`. */
const LONGEST_ESCAPE = 6

/** What is imported, and how. */
export interface ImportOrder {
  /** `-` is standard input. */
  readonly file: string
  readonly path: Path
  /** Whether children that the text does not name stay. */
  readonly merge: boolean
  /** Whether it goes on where it was broken off. */
  readonly resume: boolean
  /** File of rules to set when all data is there. */
  readonly rules: string | undefined
  /** Name of the tree in the note. */
  readonly target: string
}

/**
 * Imports a file of any size, and prints how much. Others see it come in part by part.
 * @throws Error with the place of what is wrong; nothing behind it is written
 */
export async function importTree(tree: TreeAdmin, order: ImportOrder, { json, quiet }: ReportFlags): Promise<void> {
  const { file, path, rules: rulesFile } = order
  const rules = rulesFile === undefined ? undefined : await rulesOf(rulesFile)
  const facts = await tree.facts()
  const run = new ImportRun(tree, order, facts, await noteFor(order, facts), !json && !quiet)
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

/** One import from its start, or from a note, to its end. */
class ImportRun {
  readonly #order: ImportOrder
  readonly #importing: Importing
  readonly #slicer: JsonSlicer
  readonly #begin: ImportNote | undefined
  readonly #progress: ByteProgress
  #noted: number
  /** Byte up to which a note says that all is in the tree. */
  #durable: number
  /** Bytes of the file read. */
  bytes = 0

  /**
   * @param note where to begin; `undefined` where nothing can be noted
   * @param isShown whether a terminal is shown how far it is
   */
  constructor(
    tree: TreeAdmin,
    order: ImportOrder,
    { maxLeafBytes }: TreeFacts,
    note: ImportNote | undefined,
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
    if (this.#begin !== undefined) writeNote(file, this.#begin)
    try {
      const pieces = bytesOf(file, this.#begin?.offset ?? 0, (count) => {
        this.bytes += count
      })
      for await (const piece of pieces) {
        for (const slice of this.#slicer.push(piece)) await this.#importing.take(slice, () => this.#noteLater())
        this.#progress.show(this.bytes)
      }
      for (const slice of this.#slicer.end()) await this.#importing.take(slice)
      await this.#importing.settled()
    } catch (cause) {
      // What is on its way may fail as well, which is no news any more.
      await this.#importing.settled().catch(() => {})
      this.#complain(cause)
    } finally {
      this.#progress.clear()
    }
  }

  /** It is done: there is nothing to go on with. */
  forget(): void {
    if (this.#begin !== undefined) removeNote(this.#order.file)
  }

  /** What to note once the slice is durable: something now and then. */
  #noteLater(): (() => void) | undefined {
    const begin = this.#begin
    if (begin === undefined) return undefined
    const { offset, open } = this.#slicer.position
    if (offset - this.#noted < NOTE_EVERY_BYTES) return undefined
    this.#noted = offset
    const places = pathsOfOpen(this.#order.path, open)
    const note: ImportNote = {
      ...begin,
      offset,
      open: open.map((container, depth) => {
        const priority = this.#importing.priorityOf(places[depth] ?? [])
        return priority === undefined ? { ...container } : { ...container, priority }
      }),
    }
    return () => {
      writeNote(this.#order.file, note)
      this.#durable = offset
    }
  }

  #complain(cause: unknown): never {
    const name = fileName(this.#order.file)
    const fault = cause instanceof BrokenText ? this.#importing.faultOf(cause) : cause
    // The file has to be mended, and is another one then; from its start there is nothing to go on with either.
    const isMended = fault instanceof JsonFault || cause instanceof DamagedError
    const hasProgress = !isMended && this.#durable > 0
    if (!hasProgress) this.forget()
    if (fault instanceof JsonFault) {
      const place = `at byte ${fault.offset}, ${JSON.stringify(formatPath(fault.path))}`
      throw new Error(`${name}: ${place}: ${fault.message}; nothing from there on is imported`, { cause })
    }
    const isUnread = this.bytes === (this.#begin?.offset ?? 0)
    const partly = isUnread ? 'nothing is imported' : 'it may be imported in part'
    const rest = hasProgress ? 'give --resume to go on' : partly
    throw new Error(`${name}: ${cause instanceof Error ? cause.message : String(cause)}; ${rest}`, { cause })
  }
}

/** Where to begin. @throws Error when the note there is says that it is about something else */
async function noteFor(
  { file, target, merge, resume }: ImportOrder,
  { epoch }: TreeFacts,
): Promise<ImportNote | undefined> {
  if (file === STDIN) return undefined
  const size = sizeOf(file)
  if (size === undefined) return undefined
  const source = await sourceOf(file)
  const whole = `${target}${merge ? ', merged' : ''}`
  const fresh: ImportNote = { source, target: whole, ...(epoch === undefined ? {} : { epoch }), offset: 0, open: [] }
  const note = resume ? readNote(file) : undefined
  if (note === undefined) return fresh
  const name = noteFile(resolve(file))
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
    throw new Error(`${fileName(file)}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
  }
}
