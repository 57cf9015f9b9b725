import { expect, test } from 'bun:test'

const ROOT = new URL('../../../', import.meta.url)

interface Promised {
  readonly page: string
  readonly heading: string
  /** One promise, from where it begins. */
  readonly each: RegExp
}

const PAGES: readonly Promised[] = [
  { page: 'README.md', heading: '\n## What it promises\n', each: /^- (?:.+\n(?: {2}.+\n)*)/gm },
  { page: 'docs/explanation/promises.md', heading: '\n## What it promises\n', each: /^- (?:.+\n(?: {2}.+\n)*)/gm },
  {
    page: 'docs/explanation/promises.md',
    heading: '\n## States of text messages\n',
    each: /^- (?:.+\n(?: {2}.+\n)*)/gm,
  },
  {
    page: 'docs/explanation/promises.md',
    heading: '\n## Several servers on one PostgreSQL\n',
    each: /^- (?:.+\n(?: {2}.+\n)*)/gm,
  },
  { page: 'SECURITY.md', heading: '\n## What is promised, and what holds it', each: /^\| (?!promise \||---).+$/gm },
]

test.each(PAGES)('every promise of $page names tests, and they exist', async ({ page, heading, each }) => {
  const text = await Bun.file(new URL(page, ROOT)).text()
  const section = (text.split(heading)[1] ?? '').split(/^##+ /m)[0] ?? ''
  const promises = section.match(each) ?? []
  expect(promises.length).toBeGreaterThan(4)
  for (const promise of promises) {
    const files = [...promise.matchAll(/`(test\/[^`]+)`/g)].map(([, file]) => file ?? '')
    expect([promise, files.length > 0]).toEqual([promise, true])
    for (const file of files) expect([file, await Bun.file(new URL(file, ROOT)).exists()]).toEqual([file, true])
  }
})
