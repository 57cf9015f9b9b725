import { expect, test } from 'bun:test'
import { dirname, posix } from 'node:path'
import { MAX_FILES, MAX_LINES } from './rooms.ts'

const ROOT = Bun.fileURLToPath(new URL('../../..', import.meta.url))
/** A statement that imports from a relative path. */
const IMPORT = /^(import type|import|export)\b[^'"]*?from '(\.[^']+)'/gm
/** What the pages may see of the server: the types of its operations. */
const ALLOWED = /^src\/admin\/operations(?:\.ts|\/[a-z-]+\.ts)$/

/** Folders that may hold more: many small files of one kind. */
const LARGER: Readonly<Record<string, number>> = { 'console/src/shell': 25, 'console/src/rules': 20 }

const paths = [...new Bun.Glob('console/src/**/*.{ts,tsx}').scanSync({ cwd: ROOT })].toSorted()
const files = await Promise.all(paths.map(async (path) => ({ path, text: await Bun.file(`${ROOT}/${path}`).text() })))

test('the console imports nothing of the server but types of its operations', () => {
  const foreign = files.flatMap(({ path, text }) =>
    [...text.matchAll(IMPORT)]
      .map(([, keyword, target = '']) => ({ keyword, target: posix.join(dirname(path), target) }))
      .filter(({ target }) => !target.startsWith('console/src/'))
      .filter(({ keyword, target }) => keyword !== 'import type' || !ALLOWED.test(target))
      .map(({ target }) => `${path} imports ${target}`),
  )
  expect(foreign).toEqual([])
})

test('the server imports nothing of the console', async () => {
  for (const path of new Bun.Glob('src/**/*.ts').scanSync({ cwd: ROOT })) {
    expect([path, /from '[^']*console\/src/.test(await Bun.file(`${ROOT}/${path}`).text())]).toEqual([path, false])
  }
})

test('files of the console have at most 300 lines, folders a bounded number of files', () => {
  expect(files.filter(({ text }) => text.split('\n').length - 1 > MAX_LINES).map(({ path }) => path)).toEqual([])
  const counts = new Map<string, number>()
  for (const { path } of files) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1)
  expect([...counts].filter(([folder, count]) => count > (LARGER[folder] ?? MAX_FILES))).toEqual([])
})
