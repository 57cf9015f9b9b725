import { failureOf, inStep, type Scenarios } from './scenario.ts'

/** The rules of the server. Scenarios without users are below `open`. */
export const RULES = {
  rules: {
    open: { '.read': true, '.write': true },
    closed: { '.read': false, '.write': false },
    users: { $uid: { '.read': true, '.write': 'auth.uid === $uid' } },
    articles: { '.read': true, '.write': "auth.token.role === 'editor'" },
    numbers: { '.read': true, '.write': true, $key: { '.validate': 'newData.isNumber()' } },
    rooms: { '.read': 'root.child("open/isClosed").val() !== true', '.write': true },
  },
}

export const ACCESS: Scenarios = {
  'what rules refuse fails, and is undone': {
    async run({ client }) {
      const one = client()
      const seen: unknown[] = []
      one.on('numbers/a', 'value', ({ value }) => seen.push(value))
      await one.set('numbers/a', 1)
      const failures = [
        await failureOf(() => one.set('closed/a', 1)),
        await failureOf(() => one.set('numbers/a', 'text')),
        await failureOf(() => one.update('numbers', { a: 2, b: 'text' })),
        await failureOf(() => one.once('closed/a')),
        await failureOf(() => one.onDisconnect('closed/a').set(1)),
        await failureOf(() => one.transaction('numbers/a', () => 'text')),
      ]
      await inStep(one, one, 'open/refused')
      return { failures, seen: seen.filter((value) => value !== null) }
    },
    expected: {
      failures: [
        'PERMISSION_DENIED PERMISSION_DENIED: Permission denied',
        'PERMISSION_DENIED PERMISSION_DENIED: Permission denied',
        'PERMISSION_DENIED PERMISSION_DENIED: Permission denied',
        "PERMISSION_DENIED permission_denied at /closed/a: Client doesn't have permission to access the desired data.",
        'PERMISSION_DENIED PERMISSION_DENIED: Permission denied',
        'permission_denied',
      ],
      // What is refused is shown until then.
      seen: [1, 'text', 1, 2, 1, 'text', 1],
    },
  },

  'a listen that may not be read any more ends, and begins again when it may': {
    async run({ client }) {
      const [one, two] = [client(), client()]
      await two.set('open/isClosed', false)
      await two.set('rooms/a', { x: 1 })
      const ended: string[] = []
      let shown = () => {}
      const first = new Promise<void>((resolve) => {
        shown = resolve
      })
      const listen = (steps: readonly ['limitToFirst', number][]) =>
        new Promise<void>((resolve) => {
          const cancelled = ({ message }: Error) => {
            ended.push(message)
            resolve()
          }
          one.on('rooms/a', 'value', shown, { steps, cancelled })
        })
      const both = Promise.all([listen([]), listen([['limitToFirst', 1]])])
      await first
      await two.set('open/isClosed', true)
      // The permission is asked for again before the next event.
      await two.set('rooms/a', { x: 2 })
      await both
      await two.set('open/isClosed', false)
      return { ended: [...new Set(ended)], again: (await one.once('rooms/a')).value }
    },
    expected: {
      ended: ["permission_denied at /rooms/a: Client doesn't have permission to access the desired data."],
      again: { x: 2 },
    },
  },

  'a listen ends when the rules are replaced': {
    async run({ client, rest }) {
      const [one, two] = [client(), client()]
      await two.set('open/isClosed', false)
      await two.set('rooms/b', 1)
      const ended = new Promise<string>((resolve) => {
        const cancelled = ({ message }: Error) => resolve(message)
        const listener = () => void rest('PUT', '/.settings/rules.json', { rules: { open: RULES.rules.open } })
        one.on('rooms/b', 'value', listener, { cancelled })
      })
      const message = await ended
      const refused = await failureOf(() => two.set('rooms/b', 2))
      await rest('PUT', '/.settings/rules.json', RULES)
      return [message, refused, (await one.once('rooms/b')).value]
    },
    expected: [
      "permission_denied at /rooms/b: Client doesn't have permission to access the desired data.",
      'PERMISSION_DENIED PERMISSION_DENIED: Permission denied',
      1,
    ],
  },

  'a token says who a client is': {
    needs: 'tokens',
    async run({ client, token }) {
      const ann = client({ token: async () => token('ann') })
      const other = client()
      await ann.set('users/ann', 'hello')
      return [
        (await other.once('users/ann')).value,
        await failureOf(() => ann.set('users/bob', 'hello')),
        await failureOf(() => other.set('users/ann', 'hello')),
      ]
    },
    expected: [
      'hello',
      'PERMISSION_DENIED PERMISSION_DENIED: Permission denied',
      'PERMISSION_DENIED PERMISSION_DENIED: Permission denied',
    ],
  },

  'a client asks for another token when its own has expired, and goes on': {
    needs: 'renewal',
    async run({ client, token }) {
      const asked: boolean[] = []
      let isRenewed = () => {}
      const renewed = new Promise<void>((resolve) => {
        isRenewed = resolve
      })
      const source = async (isForced: boolean) => {
        asked.push(isForced)
        if (isForced) isRenewed()
        return token('ann', isForced ? 3600 : 1)
      }
      const [ann, other] = [client({ token: source }), client()]
      const seen: unknown[] = []
      ann.on('users/ann/n', 'value', ({ value }) => seen.push(value))
      await ann.set('users/ann', { n: 1 })
      await renewed
      await ann.set('users/ann', { n: 2 })
      await inStep(ann, other, 'open/expired')
      return { isAsked: asked.includes(true), seen: seen.filter((value) => value !== null) }
    },
    expected: { isAsked: true, seen: [1, 2] },
  },

  'a token without a signature is refused, and the client asks for another one': {
    needs: 'renewal',
    async run({ client, token }) {
      const payload = { sub: 'ann', user_id: 'ann', aud: 'app', iat: 0, exp: 3600 }
      const unsigned = `${[{ alg: 'none', type: 'JWT' }, payload].map(encoded).join('.')}.`
      const bob = client({ token: async (isForced) => (isForced ? token('bob') : unsigned) })
      return [
        await failureOf(() => bob.set('users/ann', 'hello')),
        await failureOf(() => bob.set('users/bob', 'hello')),
      ]
    },
    expected: ['PERMISSION_DENIED PERMISSION_DENIED: Permission denied', 'done'],
  },

  'the admin SDK does everything, or what a user may': {
    needs: 'admin',
    async run({ client, secret }) {
      const token = async () => secret
      const [owner, ann] = [client({ token }), client({ token, override: { uid: 'ann' } })]
      await owner.set('closed/a', 1)
      await ann.set('users/ann', 1)
      const refused = await failureOf(() => ann.set('users/bob', 1))
      const before = await owner.rules?.get()
      await owner.rules?.set({ rules: { '.read': true } })
      const opened = (await client().once('closed/a')).value
      await owner.rules?.set(before ?? RULES)
      const closed = await failureOf(() => client().once('closed/a'))
      return { closedValue: (await owner.get('closed/a')).value, refused, before, opened, closed }
    },
    expected: {
      closedValue: 1,
      refused: 'PERMISSION_DENIED PERMISSION_DENIED: Permission denied',
      before: RULES,
      opened: 1,
      closed:
        "PERMISSION_DENIED permission_denied at /closed/a: Client doesn't have permission to access the desired data.",
    },
  },
}

/** Of a server that has the rules of no scenario. */
export const EMULATOR_RULES: Scenarios = {
  'a token that is given to an emulator says who a client is': {
    needs: 'mockToken',
    async run({ client, rest, token }) {
      await rest('PUT', '/.settings/rules.json', RULES)
      const ann = client({ mockUserToken: token('ann') })
      await ann.set('users/ann', 1)
      return failureOf(() => ann.set('users/bob', 1))
    },
    expected: 'PERMISSION_DENIED PERMISSION_DENIED: Permission denied',
  },

  'a user that is made up for an emulator is who the client is': {
    needs: 'mockToken',
    async run({ client, rest }) {
      await rest('PUT', '/.settings/rules.json', RULES)
      const ann = client({ mockUserToken: { sub: 'ann', role: 'editor' } })
      const other = client()
      return [
        await failureOf(() => ann.set('users/ann', 2)),
        await failureOf(() => ann.set('articles', 'first')),
        await failureOf(() => ann.set('users/bob', 2)),
        await failureOf(() => ann.set('closed/a', 2)),
        await failureOf(() => other.set('users/ann', 3)),
        (await other.once('users/ann')).value,
      ]
    },
    expected: [
      'done',
      'done',
      'PERMISSION_DENIED PERMISSION_DENIED: Permission denied',
      'PERMISSION_DENIED PERMISSION_DENIED: Permission denied',
      'PERMISSION_DENIED PERMISSION_DENIED: Permission denied',
      2,
    ],
  },

  'the admin SDK sets rules, and acts as users': {
    needs: 'admin',
    async run({ client }) {
      const token = async () => null
      const [owner, ann] = [client({ token }), client({ token, override: { uid: 'ann' } })]
      await owner.rules?.set(RULES)
      await owner.set('closed/a', 1)
      await ann.set('users/ann', 1)
      return [
        await owner.rules?.get(),
        (await owner.get('closed/a')).value,
        await failureOf(() => ann.set('users/bob', 1)),
        await failureOf(() => client().set('users/ann', 1)),
      ]
    },
    expected: [
      RULES,
      1,
      'PERMISSION_DENIED PERMISSION_DENIED: Permission denied',
      'PERMISSION_DENIED PERMISSION_DENIED: Permission denied',
    ],
  },
}

/** A part of a token. */
function encoded(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url')
}
