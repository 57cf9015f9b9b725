import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { openDatabase } from '../../../src/embedded.ts'
import { tempDir } from '../../support/temp-dir.ts'

test.each([
  ['a path', (file: string) => file],
  ['a file URL', (file: string) => pathToFileURL(file).href],
  ['a sqlite URL', (file: string) => pathToFileURL(file).href.replace(/^file/, 'sqlite')],
  ['a sqlite URL with a bare path', (file: string) => `sqlite:${file.replaceAll(' ', '%20')}`],
])('a database opens at %s', async (_, placeOf) => {
  await using dir = await tempDir()
  const file = dir.file('a tree.sqlite')
  await using database = openDatabase({ file: placeOf(file) })
  await database.put('/a', 1)
  expect(await database.get('/a')).toBe(1)
  expect(existsSync(file)).toBe(true)
})

test.each([
  'postgres://ann:secret@db.example.org/tree',
  'https://example.org/tree.sqlite',
  'file:',
  'file://other.example.org/tree.sqlite',
  'sqlite:tree.sqlite?mode=memory',
  'sqlite:%zz',
])('no database opens at %s', (file) => {
  const expected = /^cannot open a store at a URL of the form [a-z]+:…: expected a file path, or a URL such as file:/
  expect(() => openDatabase({ file })).toThrow(expected)
  expect(() => openDatabase({ file })).toThrow(TypeError)
})
