import { expect, test } from 'bun:test'
import { type Block, blocks, chapter, expectShown } from './blocks.ts'
import { startCheckout } from './checkout.ts'
import { LISTENS, Listener } from './shell.ts'

/** Commands, a listener, or what one of them is to print. */
const ACCESS: readonly Block[] = blocks(chapter('Who may: rules and credentials'), 'sh', 'json', 'text')

test('rules, tokens and applications do what it says', async () => {
  await using checkout = await startCheckout()
  const { terminal } = checkout
  let listener: Listener | undefined
  let commands: string | undefined
  let told = 0
  try {
    for (const { language, text } of ACCESS) {
      if (language === 'sh') {
        if (commands !== undefined) expectShown(await terminal.run(commands), '', commands)
        commands = undefined
        if (LISTENS.test(text)) listener = new Listener(text, await terminal.variables())
        else commands = text
      } else if (commands !== undefined) {
        expectShown(await terminal.run(commands), text, commands)
        commands = undefined
      } else if (listener !== undefined) {
        expectShown(await listener.next(text), text, 'what the listener is told')
        told++
      }
    }
  } finally {
    await listener?.stop()
  }
  expect(commands).toBeUndefined()
  expect(told).toBe(2)
})
