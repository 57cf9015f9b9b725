import { type Found, nameOf, type Place } from './place.ts'

/** What is to be done about an application: a copy, the end of one that was interrupted, or nothing. */
export type Decision = 'copy' | 'complete' | 'done'

export interface Direction {
  readonly from: Place
  readonly to: Place
}

/** @param isMove whether the source is to be marked @throws Error when the application cannot be copied */
export function decide({ from, to }: Direction, source: Found, target: Found, isMove: boolean): Decision {
  if (source.kind === 'none') throw new Error(`it is not in ${nameOf(from)}`)
  if (source.kind === 'arriving') throw new Error(`its own copy to ${nameOf(from)} is not complete`)
  if (source.kind === 'moved') {
    const isOfThatCopy = isMove && source.copy !== undefined && source.copy === target.copy
    if (isOfThatCopy && target.kind === 'arriving') return 'complete'
    if (isOfThatCopy && target.kind === 'there') return 'done'
    throw new Error(`it was moved to ${source.movedTo}`)
  }
  if (target.kind === 'there') throw new Error(`it is in ${nameOf(to)} already`)
  // What came from there goes back, and replaces what it left.
  if (target.kind === 'moved' && target.movedTo !== nameOf(from)) {
    throw new Error(`${nameOf(to)} has a tree of that name that was moved to ${target.movedTo}: remove that first`)
  }
  return 'copy'
}
