import { expect, test } from 'bun:test'
import { blocks, chapter, expectShown } from './blocks.ts'
import { startCheckout } from './checkout.ts'

const SERVER = 'https://localhost:8443'
/** Commands, or what they print. */
const SHOWN = blocks(chapter('Text messages: what became of them'), 'sh', 'json', 'text')

test('text messages are recorded, reported, asked for, exported and imported as it says', async () => {
  // Whoever reads it takes more than a second from one batch query to the next.
  await using checkout = await startCheckout({ SMS_INTERVAL_MS: '0' })
  const { terminal, server } = checkout
  const url = server.url.replace('127.0.0.1', 'localhost')
  let commands: string | undefined
  let answers = 0
  for (const { language, text } of SHOWN) {
    if (language === 'sh') {
      if (commands !== undefined) expectShown(await terminal.run(commands), '', commands)
      commands = text.replaceAll(SERVER, url)
    } else {
      expect(commands, text).toBeDefined()
      expectShown(await terminal.run(commands ?? ''), text, commands ?? '')
      commands = undefined
      answers++
    }
  }
  expect(commands).toBeUndefined()
  expect(answers).toBeGreaterThan(8)
})
