import type { Steps } from '../../scheduling/steps.ts'
import { formatPath, type Path } from '../path.ts'
import { type Value, valueAt } from '../value.ts'
import type { Write } from '../write.ts'
import { etagOf } from './etag.ts'
import { print, type TextForm } from './print.ts'
import { etagOfInSteps, printInSteps } from './print-steps.ts'
import { type AnyText, collected } from './text-pieces.ts'

/** Text of a large value in one form, and its tag where one is wanted. */
interface PreparedText {
  readonly text: AnyText
  readonly tag: string | undefined
}

/** Texts of what writes bring, by form and by path below the written place. */
const prepared = new WeakMap<Write, Map<string, PreparedText>>()

/**
 * Prints what a write brings to a place at or below it, for `textAfter` and `tagAfter`. Does nothing where the write
 * leaves nothing.
 * @param below keys from the written place on
 */
export function* prepareText(write: Write, below: Path, form: TextForm, isTagged: boolean): Steps<void> {
  const value = valueAfter(write, below)
  if (value === undefined) return
  const text = yield* collected((sink) => printInSteps(value, form, sink))
  const tag = isTagged ? yield* etagOfInSteps(text) : undefined
  const texts = prepared.get(write) ?? new Map<string, PreparedText>()
  prepared.set(write, texts.set(nameOf(below, form), { text, tag }))
}

/** Text of what a write brings to a place, at once where it was prepared; `undefined` where it leaves nothing. */
export function textAfter(write: Write, below: Path, form: TextForm): AnyText | undefined {
  const known = prepared.get(write)?.get(nameOf(below, form))
  if (known !== undefined) return known.text
  const value = valueAfter(write, below)
  return value === undefined ? undefined : print(value, form)
}

/**
 * Tag of the text that a write brings to a place, at once where it was prepared.
 * @param text that text, where it is known
 */
export function tagAfter(write: Write, below: Path, form: TextForm, text?: AnyText): string {
  return prepared.get(write)?.get(nameOf(below, form))?.tag ?? etagOf(text ?? textAfter(write, below, form))
}

function valueAfter(write: Write, below: Path): Value | undefined {
  const value = write.kind === 'value' ? write.value : write.priority
  return value === undefined || below.length === 0 ? value : valueAt(value, below)
}

function nameOf(below: Path, form: TextForm): string {
  return `${form} ${formatPath(below)}`
}
