import { type Found, nameOf, type Place } from './place.ts'

/** What is to be done about an application: a copy, the end of one that was interrupted, or nothing. */
export type Decision = 'copy' | 'complete' | 'done'

export interface Places {
  readonly from: Place
  readonly to: Place
}

/** @param isMove whether the source is to be marked @throws Error when the application cannot be copied */
export function decide({ from, to }: Places, source: Found, target: Found, isMove: boolean): Decision {
  if (source.kind === 'none') throw new Error(`it is not in ${nameOf(from)}`)
  if (source.kind === 'arriving') throw new Error(`its own copy to ${nameOf(from)} is not complete`)
  if (source.kind === 'moved') {
    const isOfThatCopy = isMove && source.copy !== undefined && source.copy === target.copy
    if (isOfThatCopy && target.kind === 'arriving') return 'complete'
    if (isOfThatCopy && target.kind === 'there') return 'done'
    throw new Error(`it was moved to ${source.movedTo}`)
  }
  if (target.kind === 'there') throw new Error(`it is in ${nameOf(to)} already`)
  if (target.kind === 'moved') throw new Error(`${nameOf(to)} still has what was moved from there: remove that first`)
  return 'copy'
}
