import { awaited, type Scenarios } from './scenario.ts'

const WRITES = 200

/** Scenarios in which the test kills the client, or the server. */
export const KILLS: Scenarios = {
  'a client is killed': {
    async run({ client, argument, tell }) {
      const one = client()
      await one.onDisconnect(argument).set('gone')
      await one.set(argument, 'here')
      tell('here')
      return new Promise(() => {})
    },
    expected: undefined,
  },

  'the server is killed': {
    async run({ client, at, tell }) {
      const [one, two] = [client(), client()]
      await one.onDisconnect(`${at}/left`).set('gone')
      await one.set(`${at}/left`, 'here')
      const told = new Map<string | null, number>()
      two.on(`${at}/list`, 'child_added', ({ key }) => told.set(key, (told.get(key) ?? 0) + 1))
      for (let index = 0; index < WRITES; index++) {
        await one.push(`${at}/list`, index).done
        if (index === WRITES / 4) tell('now')
      }
      const left = await awaited(two, `${at}/left`, (value) => value === 'gone')
      const { children, value } = await client().get(`${at}/list`)
      const values = children.map((key) => (value as Record<string, unknown>)[key ?? ''])
      await awaited(two, `${at}/list`, () => told.size >= children.length)
      const isOnce = [...told.values()].every((times) => times === 1)
      return { left, values, isOnce, told: told.size }
    },
    expected: {
      left: 'gone',
      values: Array.from({ length: WRITES }, (_, index) => index),
      isOnce: true,
      told: WRITES,
    },
  },
}
