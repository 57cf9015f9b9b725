/** What the README shows in its blocks. */
import { expect } from 'bun:test'
import { dense } from './shell.ts'

export const README = await Bun.file(new URL('../../README.md', import.meta.url)).text()

/** A block between fences. */
export interface Block {
  readonly language: string
  readonly text: string
}

/** A shell block and the answers printed below it, if any. */
interface Step {
  /** The heading it stands under. */
  readonly section: string
  readonly commands: string
  readonly answers: string | undefined
}

/** A heading stands on its own line; what looks like one within a block is a comment of a shell. */
const HEADINGS = /^#+ /m

/** Everything from a heading of the second level to the next one. */
export function chapter(heading: string): string {
  const [text = ''] = README.split(/^## /m).filter((part) => part.startsWith(`${heading}\n`))
  return text
}

/** Every heading of a text. */
export function headings(text: string): readonly string[] {
  return text.split(HEADINGS).map((part) => part.slice(0, part.indexOf('\n')))
}

/** Every shell block. */
export const STEPS: readonly Step[] = README.split(HEADINGS).flatMap((part) => {
  const blocks = part.matchAll(/```sh\n([^`]*)```(?:\s*```json\n([^`]*)```)?/g)
  const section = part.slice(0, part.indexOf('\n'))
  return [...blocks].map(([, commands = '', answers]) => ({ section, commands, answers }))
})

/** The blocks of a text in these languages, in order. */
export function blocks(text: string, ...languages: readonly string[]): readonly Block[] {
  const found = [...text.matchAll(/```(\w+)\n([^`]*)```/g)].map(([, language = '', body = '']) => ({
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
