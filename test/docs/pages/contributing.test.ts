import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import packageJson from '../../../package.json' with { type: 'json' }
import { pageText } from './blocks.ts'

const ROOT = Bun.fileURLToPath(new URL('../../../', import.meta.url))
const PAGE = await pageText('CONTRIBUTING.md')

/** A file that runs the tests of the short lane in the long one. */
const REPEATS = /^import '(?:\.\.\/)+support\/long-lane\.ts'\nimport '\.\/[a-z-]+\.test\.ts'\n$/

test('lists every file with tests of the long lane alone', async () => {
  const files = await Array.fromAsync(new Bun.Glob('test/**/*.{long,test}.ts').scan(ROOT))
  const expected: string[] = []
  for (const file of files) {
    const text = await Bun.file(ROOT + file).text()
    const isLongAlone = file.endsWith('.long.ts') ? !REPEATS.test(text) : /^\s*longTest\(/m.test(text)
    if (isLongAlone) expected.push(file)
  }
  const [, table = ''] = PAGE.split('Only the long lane runs:\n')
  const rows = table.split('\n').filter((line) => line.startsWith('| `'))
  const listed = rows.flatMap((row) => [...row.matchAll(/`(test\/[^`]+)`/g)].map(([, file = '']) => file))
  expect(listed.toSorted()).toEqual(expected.toSorted())
})

test('every script that it names exists', () => {
  const named = [...PAGE.matchAll(/`bun run ([a-z:]+)/g)].map(([, name = '']) => name)
  expect(named.length).toBeGreaterThan(10)
  expect(named.filter((name) => !(name in packageJson.scripts))).toEqual([])
})

test('every part of the tests that it names has tests', async () => {
  const named = [...PAGE.matchAll(/`bun test ([a-z/-]+)`/g)].map(([, part = '']) => part)
  const files = await Array.fromAsync(new Bun.Glob('test/**/*.test.ts').scan(ROOT))
  expect(named.length).toBeGreaterThan(3)
  expect(named.filter((part) => !files.some((file) => file.includes(part)))).toEqual([])
})

test('every folder of the tests that it names exists, and none is left out', async () => {
  const rows = [...PAGE.matchAll(/^\| `(test\/[a-z-]+)` \|/gm)].map(([, folder = '']) => folder)
  expect(rows.filter((folder) => !existsSync(ROOT + folder))).toEqual([])
  const files = await Array.fromAsync(new Bun.Glob('test/*/**/*').scan(ROOT))
  const folders = new Set(files.map((file) => file.split('/').slice(0, 2).join('/')))
  expect(rows.toSorted()).toEqual([...folders].toSorted())
})
