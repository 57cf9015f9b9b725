import type { Steps } from '../../scheduling/steps.ts'
import { formatPath, type Path } from '../path.ts'
import { isBranch, type Value, valueAt } from '../value.ts'
import type { Write } from '../write.ts'
import { etagOf } from './etag.ts'
import { exceeds, print, type TextForm } from './print.ts'
import { etagOfInSteps, printInSteps } from './print-steps.ts'
import { type AnyText, collected } from './text-pieces.ts'

/** Length of strings whose texts are not kept, in UTF-16 code units. */
const SHORT_LENGTH = 1024
/** The same of the text of a branch, without its keys: one write may have a hundred thousand records. */
const SHORT_BRANCH_LENGTH = 64

/** Text of a large value in one form, with its tag where it is needed. */
interface PreparedText {
  readonly text: AnyText
  readonly tag: string | undefined
}

/** Texts of written values, by form and by path below the written node. */
const prepared = new WeakMap<Write, Map<string, PreparedText>>()

/**
 * Prints the value that a write stores at or below its path, for `textAfter` and `tagAfter`. Does nothing where the write
 * leaves no value.
 * @param below path below the written node
 */
export function* prepareText(write: Write, below: Path, form: TextForm, isTagged: boolean): Steps<void> {
  const value = valueAfter(write, below)
  if (value === undefined || (!isTagged && isShort(value))) return
  const text = yield* collected((sink) => printInSteps(value, form, sink))
  const tag = isTagged ? yield* etagOfInSteps(text) : undefined
  const texts = prepared.get(write) ?? new Map<string, PreparedText>()
  prepared.set(write, texts.set(nameOf(below, form), { text, tag }))
}

/** Text of the value that a write stores at a path, at once where it was prepared; `undefined` where it leaves no value. */
export function textAfter(write: Write, below: Path, form: TextForm): AnyText | undefined {
  const known = prepared.get(write)?.get(nameOf(below, form))
  if (known !== undefined) return known.text
  const value = valueAfter(write, below)
  return value === undefined ? undefined : print(value, form)
}

/**
 * Tag of the value that a write stores at a path, at once where it was prepared.
 * @param text that text, where it is known
 */
export function tagAfter(write: Write, below: Path, form: TextForm, text?: AnyText): string {
  return prepared.get(write)?.get(nameOf(below, form))?.tag ?? etagOf(text ?? textAfter(write, below, form))
}

/** Whether a value is printed so fast that its text need not be kept. */
function isShort(value: Value): boolean {
  if (isBranch(value)) return !exceeds(value, SHORT_BRANCH_LENGTH)
  return typeof value !== 'string' || value.length <= SHORT_LENGTH
}

function valueAfter(write: Write, below: Path): Value | undefined {
  return valueAt(write.kind === 'value' ? write.value : write.priority, below)
}

function nameOf(below: Path, form: TextForm): string {
  return `${form} ${formatPath(below)}`
}
