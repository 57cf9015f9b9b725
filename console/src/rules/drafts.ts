import { type Signal, signal } from '@preact/signals'

/** Rules of an application that are being written. */
export interface Draft {
  /** The rules in force when writing began; what is published replaces these. */
  readonly base: Signal<string>
  readonly text: Signal<string>
  /** Raised when something else than typing changes the text, which the editor then takes over. */
  readonly replacements: Signal<number>
}

const drafts = new Map<string, Draft>()

/** Kept while the console is open: going to another page loses nothing. */
export function draftOf(application: string): Draft | undefined {
  return drafts.get(application)
}

export function beginDraft(application: string, base: string): Draft {
  const draft = { base: signal(base), text: signal(base), replacements: signal(0) }
  drafts.set(application, draft)
  return draft
}

/** Replaces the text in the editor too. */
export function replaceText({ text, replacements }: Draft, next: string): void {
  text.value = next
  replacements.value++
}

export function isChanged({ base, text }: Draft): boolean {
  return base.value !== text.value
}

// A closed tab would lose what is written in any of them.
addEventListener('beforeunload', (event) => {
  if ([...drafts.values()].some(isChanged)) event.preventDefault()
})
