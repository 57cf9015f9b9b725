import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { pageText } from './blocks.ts'

const ROOT = new URL('../../../', import.meta.url)
const EXPLANATIONS = new Bun.Glob('docs/explanation/*.md').scanSync(Bun.fileURLToPath(ROOT))

/** Rows of the table below a heading. */
function rows(page: string, heading: string): readonly string[] {
  const [section = ''] = page.split(/^## /m).filter((part) => part.startsWith(`${heading}\n`))
  return section
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .slice(1)
}

/** Files and folders of the repository that a text names. */
function named(text: string): readonly string[] {
  return [...text.matchAll(/`((?:src|test|bench|packaging|drizzle)\/[^`]*)`/g)].map(([, path = '']) => path)
}

test.each([...EXPLANATIONS])('every file that %s names exists', async (page) => {
  expect(named(await pageText(page)).filter((path) => !existsSync(new URL(path, ROOT)))).toEqual([])
})

test('ten changes touch one or two files each', async () => {
  const changes = rows(await pageText('docs/explanation/architecture.md'), 'Ten changes, and the files they touch')
  const counts = changes.map((row) => named(row).filter((path) => path.endsWith('.ts')).length)
  expect(counts.length).toBe(10)
  expect(counts.filter((count) => count < 1 || count > 2)).toEqual([])
})

test('every promise that must not break names what enforces it', async () => {
  const promises = rows(await pageText('docs/explanation/architecture.md'), 'Never break')
  expect(promises.length).toBeGreaterThan(14)
  expect(promises.filter((row) => named(row).length === 0)).toEqual([])
})

test('every room of the table is a folder', async () => {
  const rooms = rows(await pageText('docs/explanation/architecture.md'), 'The rooms')
  const names = rooms.flatMap((row) =>
    [...(row.split(' | ')[0] ?? '').matchAll(/`([^`]+)`/g)].map(([, name = '']) => name),
  )
  expect(names.filter((name) => !existsSync(new URL(`src/${name}`, ROOT)))).toEqual([])
  expect(names.length).toBeGreaterThan(14)
})
