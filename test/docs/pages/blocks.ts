/** What the documents show in their blocks. */
import { expect } from 'bun:test'
import { dense } from './shell.ts'

const ROOT = new URL('../../../', import.meta.url)

/** A block between fences. */
export interface Block {
  readonly language: string
  readonly text: string
}

/** The text of a page. @param page from the root of the repository */
export function pageText(page: string): Promise<string> {
  return Bun.file(new URL(page, ROOT)).text()
}

/** The blocks of a text in these languages, in order. */
export function blocks(text: string, ...languages: readonly string[]): readonly Block[] {
  const found = [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map(([, language = '', body = '']) => ({
    language,
    text: body,
  }))
  return found.filter(({ language }) => languages.includes(language))
}

/** Compares what commands have printed with what is shown, but for what differs from run to run. */
export function expectShown(printed: string, shown: string, commands: string): void {
  expect(dense(withoutMoments(printed)), commands).toBe(dense(withoutMoments(shown)))
}

/** Keys, times, secrets, tokens, batches and sizes differ from run to run; their shape does not. */
export function withoutMoments(text: string): string {
  return (
    text
      .replace(/(?<=shown only now: )[\w-]{40}/g, '<secret>')
      .replace(/\beyJ[\w.-]+/g, '<token>')
      // An hour, but for the seconds that have passed since the token was made.
      .replace(/(?<="expireIn":)(?:3600|35[5-9]\d)\b/g, '<an hour>')
      .replace(/-[0-9A-Z_a-z-]{19}/g, '<key>')
      .replace(/\b1\d{12}\b/g, '<time>')
      .replace(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z\b/g, '<moment>')
      .replace(/\b[\da-f]{18}\b/g, '<rrid>')
      .replace(/(?<=^\w+ +wilddog +own +)\d+ */gm, '<bytes> ')
  )
}
