import { expect, test } from 'bun:test'
import { newSecret } from '../../../src/data-folder/secret-file.ts'

/** One in 64 would begin with a hyphen; that none of so many does is no accident. */
const MANY = 2000

test('a secret can be handed to a command as it is', () => {
  for (let made = 0; made < MANY; made++) expect(newSecret()).toMatch(/^[A-Za-z0-9_][A-Za-z0-9_-]{39}$/)
})
