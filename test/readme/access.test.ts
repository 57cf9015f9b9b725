import { expect, test } from 'bun:test'
import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { startServer } from '../support/server-process.ts'
import { tempDir } from '../support/temp-dir.ts'
import { type Block, blocks, chapter, withoutMoments } from './blocks.ts'
import { dense, environment, LISTENS, Listener, Terminal } from './shell.ts'

const ROOT = Bun.fileURLToPath(new URL('../../', import.meta.url))
/** What the chapter uses of a checkout. */
const PARTS = ['src', 'node_modules', 'package.json', 'drizzle']

/** Commands, a listener, or what one of them is to print. */
const ACCESS: readonly Block[] = blocks(chapter('Who may: rules and credentials'), 'sh', 'json', 'text')

function same(printed: string, shown: string, commands: string): void {
  expect(dense(withoutMoments(printed)), commands).toBe(dense(withoutMoments(shown)))
}

test('rules, tokens and applications do what it says', async () => {
  await using dir = await tempDir()
  for (const part of PARTS) await symlink(join(ROOT, part), join(dir.path, part))
  const server = await startServer({ DATA_DIR: join(dir.path, 'data') })
  const terminal = new Terminal(environment(server), dir.path)
  let listener: Listener | undefined
  let commands: string | undefined
  let told = 0
  try {
    for (const { language, text } of ACCESS) {
      if (language === 'sh') {
        if (commands !== undefined) same(await terminal.run(commands), '', commands)
        commands = undefined
        if (LISTENS.test(text)) listener = new Listener(text, await terminal.variables())
        else commands = text
      } else if (commands !== undefined) {
        same(await terminal.run(commands), text, commands)
        commands = undefined
      } else if (listener !== undefined) {
        same(await listener.next(text), text, 'what the listener is told')
        told++
      }
    }
  } finally {
    await listener?.stop()
    await terminal.close()
    await server.stop()
  }
  expect(commands).toBeUndefined()
  expect(told).toBe(2)
})
