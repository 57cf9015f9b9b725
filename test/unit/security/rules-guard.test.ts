import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { openTestTree } from '../../support/engine.ts'
import { tempDir } from '../../support/temp-dir.ts'

const OPEN = '{"rules":{".read":true,".write":true}}'
const MINE = '{"rules":{".read":"auth != null"}}'
const THEIRS = '{"rules":{".read":"now > 0"}}'

test('of two who replace the same rules only one succeeds, and the other one replaces nothing', async () => {
  await using dir = await tempDir()
  const tree = await openTestTree({ file: join(dir.path, 'tree.sqlite'), rules: OPEN })
  const seen = tree.rules
  const ended = await Promise.allSettled([tree.setRules(MINE, 'ann', seen), tree.setRules(THEIRS, 'bob', seen)])
  expect(ended).toEqual([
    { status: 'fulfilled', value: undefined },
    { status: 'rejected', reason: expect.objectContaining({ code: 'admin-state' }) },
  ])
  expect(tree.rules).toBe(MINE)
  await tree.setRules(THEIRS, 'bob', MINE)
  expect(tree.rules).toBe(THEIRS)
  await tree.setRules(OPEN)
  expect(tree.rules).toBe(OPEN)
  await tree.close()
})
