import { describe, expect, test } from 'bun:test'
import { startInProcess } from '../../support/https-server.ts'
import { frameOf, type HandshakeHeaders, RawSocket } from '../../support/raw-socket.ts'
import { SdkClient } from '../../support/sdk-client.ts'
import { withServer } from '../../support/with-server.ts'

const MAX_BYTES = 100_000
const SEGMENT = 16_384
const CLOSE = 8

const server = withServer(() => startInProcess({ limits: { maxWriteBytes: MAX_BYTES } }))

/** How an SDK asks for a socket. */
interface Handshake {
  readonly path: string
  readonly headers: HandshakeHeaders
}

/** As the SDK for Android does: the namespace first, and no `Origin`. */
function android(): Handshake {
  return {
    path: '/.ws?ns=app&v=5',
    headers: { 'User-Agent': 'Firebase/5/22.0.1/36/Android', 'X-Firebase-GMPID': '1:1:android:1' },
  }
}

/** As the SDK for Apple's systems does: `Origin` is the server itself, with a slash. */
function apple(): Handshake {
  return {
    path: '/.ws?v=5&ns=app',
    headers: {
      'User-Agent': 'Firebase/5/12.0.0_Jan  1 2026_0/26.0/iPhone_com.example.app',
      'X-Firebase-GMPID': '1:1:ios:1',
      'X-Firebase-AppCheck': 'eyJhbGciOiJub25lIn0.e30.',
      Origin: `https://localhost:${server.port}/`,
    },
  }
}

/**
 * What an SDK sends, byte by byte, and what it is told. Android writes `a` in front of `r`, Apple may write members in any order;
 * both escape slashes. Request numbers begin with 0.
 */
interface Replay {
  readonly name: string
  readonly by: () => Handshake
  readonly data: unknown
  readonly frames: readonly string[]
  readonly told: readonly string[]
}

const ok = (number: number, data = '""') => `{"t":"d","d":{"r":${number},"b":{"s":"ok","d":${data}}}}`
/** Two ranges, of which the client has the first one; the hash of the whole is another one. */
const COMPOUND = '{"ps":["a"],"hs":["gIphxiFGusLh2VwSNVKSvNu90m4=",""]}'
const NONE = 'AAAAAAAAAAAAAAAAAAAAAAAAAAA='

const REPLAYS: readonly Replay[] = [
  {
    name: 'Android: statistics, what it says of App Check, and that nobody is signed in',
    by: android,
    data: null,
    frames: [
      '{"t":"d","d":{"a":"s","r":0,"b":{"c":{"persistence.android.enabled":1,"sdk.android.22-0-1":1}}}}',
      '{"t":"d","d":{"a":"unappcheck","r":1,"b":{}}}',
      '{"t":"d","d":{"a":"appcheck","r":2,"b":{"token":"eyJhbGciOiJub25lIn0.e30."}}}',
      '{"t":"d","d":{"a":"unauth","r":3,"b":{}}}',
    ],
    told: [ok(0), ok(1), ok(2), ok(3)],
  },
  {
    name: 'Android: a path without a slash in front, escaped within, and the root',
    by: android,
    data: { a: { b: 1 } },
    frames: [
      '{"t":"d","d":{"a":"q","r":0,"b":{"p":"a\\/b","h":""}}}',
      '{"t":"d","d":{"a":"n","r":1,"b":{"p":"a\\/b"}}}',
      '{"t":"d","d":{"a":"q","r":2,"b":{"p":"\\/","h":""}}}',
    ],
    told: [
      '{"t":"d","d":{"a":"d","b":{"p":"/a/b","d":1}}}',
      ok(0, '{}'),
      ok(1),
      '{"t":"d","d":{"a":"d","b":{"p":"/","d":{"a":{"b":1}}}}}',
      ok(2, '{}'),
    ],
  },
  {
    name: 'Android: a compound hash beside a hash that is another one brings the whole value',
    by: android,
    data: { list: { a: 1, b: 2 } },
    frames: [`{"t":"d","d":{"a":"q","r":0,"b":{"p":"list","ch":${COMPOUND},"h":"${NONE}"}}}`],
    told: ['{"t":"d","d":{"a":"d","b":{"p":"/list","d":{"a":1,"b":2}}}}', ok(0, '{}')],
  },
  {
    name: 'Android: a compound hash beside the right hash brings nothing',
    by: android,
    data: { list: { a: 1 } },
    frames: [`{"t":"d","d":{"a":"q","r":0,"b":{"p":"list","ch":${COMPOUND},"h":"gIphxiFGusLh2VwSNVKSvNu90m4="}}}`],
    told: [ok(0, '{}')],
  },
  {
    name: 'Android: a tagged query with a compound hash, which is ended with its query',
    by: android,
    data: { list: { a: { n: 1 }, b: { n: 2 }, c: { n: 3 } } },
    frames: [
      `{"t":"d","d":{"a":"q","r":0,"b":{"p":"list","q":{"sp":2.0,"vf":"l","i":"n","l":1},"t":1,"ch":${COMPOUND},"h":"${NONE}"}}}`,
      '{"t":"d","d":{"a":"n","r":1,"b":{"p":"list","q":{"sp":2.0,"vf":"l","i":"n","l":1},"t":1}}}',
    ],
    told: ['{"t":"d","d":{"a":"d","b":{"p":"/list","d":{"b":{"n":2}},"t":1}}}', ok(0, '{}'), ok(1)],
  },
  {
    name: 'Android: a start behind a value, by a key behind all keys',
    by: android,
    data: { list: { a: 1, b: 2, c: 3 } },
    frames: ['{"t":"d","d":{"a":"g","r":0,"b":{"p":"list","q":{"sp":2.0,"i":".value","sn":"[MAX_NAME]"}}}}'],
    told: [ok(0, '{"c":3}')],
  },
  {
    name: 'Android: a start behind a key and an end in front of one, by the keys next to them',
    by: android,
    data: { list: { a: 1, b: 2, c: 3 } },
    frames: [
      '{"t":"d","d":{"a":"g","r":0,"b":{"p":"list","q":{"sp":"a-","i":".key"}}}}',
      `{"t":"d","d":{"a":"g","r":1,"b":{"p":"list","q":{"ep":"b${'z'.repeat(785)}","i":".key"}}}}`,
    ],
    told: [ok(0, '{"b":2,"c":3}'), ok(1, '{"a":1,"b":2}')],
  },
  {
    name: 'Android: a read of everything, and keep-alives between',
    by: android,
    data: { a: true },
    frames: ['0', '{"t":"d","d":{"a":"g","r":0,"b":{"p":"\\/","q":{}}}}', '0'],
    told: [ok(0, '{"a":true}')],
  },
  {
    name: 'Android: a transaction, and a second one with the same hash',
    by: android,
    data: { n: 1 },
    frames: [
      '{"t":"d","d":{"a":"q","r":0,"b":{"p":"n","h":""}}}',
      '{"t":"d","d":{"a":"p","r":1,"b":{"p":"n","d":2,"h":"YPVfR2bXt\\/lcDjiQZ8pOkAd3qkQ="}}}',
      '{"t":"d","d":{"a":"p","r":2,"b":{"p":"n","d":3,"h":"YPVfR2bXt\\/lcDjiQZ8pOkAd3qkQ="}}}',
    ],
    told: [
      '{"t":"d","d":{"a":"d","b":{"p":"/n","d":1}}}',
      ok(0, '{}'),
      '{"t":"d","d":{"a":"d","b":{"p":"/n","d":2}}}',
      ok(1),
      '{"t":"d","d":{"r":2,"b":{"s":"datastale","d":"Transaction hash does not match"}}}',
    ],
  },
  {
    name: 'Apple: writes right behind listens, in members of another order; each listen is answered once',
    by: apple,
    data: { a: 1 },
    frames: [
      '{"d":{"r":0,"a":"s","b":{"c":{"sdk.objc.12-0-0":1}}},"t":"d"}',
      '{"d":{"b":{"p":"\\/a","h":""},"r":1,"a":"q"},"t":"d"}',
      '{"d":{"b":{"p":"\\/a","h":""},"r":2,"a":"q"},"t":"d"}',
      '{"d":{"b":{"p":"\\/a"},"r":3,"a":"n"},"t":"d"}',
      '{"d":{"b":{"p":"\\/a","d":2},"r":4,"a":"p"},"t":"d"}',
      '{"d":{"b":{"p":"\\/a","h":"YPVfR2bXt\\/lcDjiQZ8pOkAd3qkQ="},"r":5,"a":"q"},"t":"d"}',
    ],
    told: [
      ok(0),
      '{"t":"d","d":{"a":"d","b":{"p":"/a","d":1}}}',
      ok(1, '{}'),
      '{"t":"d","d":{"a":"d","b":{"p":"/a","d":1}}}',
      ok(2, '{}'),
      ok(3),
      ok(4),
      '{"t":"d","d":{"a":"d","b":{"p":"/a","d":2}}}',
      ok(5, '{}'),
    ],
  },
  {
    name: 'Apple: what it wants written when it has gone, and forgotten',
    by: apple,
    data: null,
    frames: [
      '{"d":{"b":{"p":"\\/x","d":{".sv":"timestamp"}},"r":0,"a":"o"},"t":"d"}',
      '{"d":{"b":{"p":"\\/y","d":{"a\\/b":1}},"r":1,"a":"om"},"t":"d"}',
      '{"d":{"b":{"p":"\\/","d":null},"r":2,"a":"oc"},"t":"d"}',
    ],
    told: [ok(0), ok(1), ok(2)],
  },
  {
    name: 'Apple: a list with a limit, by priority',
    by: apple,
    data: { l: { a: 1, b: 2 } },
    frames: ['{"d":{"b":{"t":1,"q":{"vf":"r","l":1},"p":"\\/l","h":""},"r":0,"a":"q"},"t":"d"}'],
    told: ['{"t":"d","d":{"a":"d","b":{"p":"/l","d":{"b":2},"t":1}}}', ok(0, '{}')],
  },
]

describe('what SDKs of phones send is answered as they expect', () => {
  test.each(REPLAYS.map((replay) => [replay.name, replay] as const))('%s', async (_, { by, data, frames, told }) => {
    await server.call('PUT', '/.json', { body: JSON.stringify(data) })
    await using socket = await RawSocket.connect(server, by())
    for (const frame of frames) socket.text(frame)
    await socket.until(() => socket.texts.length > told.length)
    // Nothing follows: the answer to another request is next.
    socket.text('{"t":"d","d":{"a":"s","r":99,"b":{"c":{}}}}')
    await socket.until(() => socket.texts.at(-1)?.includes('"r":99,') === true)
    expect(socket.texts.slice(1)).toEqual([...told, ok(99)])
  })

  test('the reply to the handshake has what Android reads, as it is written there', async () => {
    await using socket = await RawSocket.connect(server, android())
    const [status, ...lines] = socket.head
    expect(status).toStartWith('HTTP/1.1 101 ')
    expect(lines).toContain('Upgrade: websocket')
    expect(lines).toContain('Connection: Upgrade')
    for (const line of lines) expect(line).toMatch(/^[\w-]+: .{1,900}$/)
    for (const name of ['sec-websocket-protocol', 'sec-websocket-extensions']) {
      expect(lines.filter((line) => line.toLowerCase().startsWith(name))).toEqual([])
    }
  })

  test('the hello names the host that the client goes to from then on, and a time that is an integer', async () => {
    await using socket = await RawSocket.connect(server, apple())
    expect(socket.texts[0]).toMatch(
      new RegExp(
        `^\\{"t":"c","d":\\{"t":"h","d":\\{"ts":\\d{13},"v":"5","h":"localhost:${server.port}","s":"[\\w-]+"\\}\\}\\}$`,
      ),
    )
  })

  test.each([
    ['Android', '', 1005],
    // Its code is -1, which is none.
    ['Apple', '\xff\xff', 1002],
  ])('the close frame of %s ends the connection, and what it leaves is written', async (client, payload, code) => {
    await using watcher = await SdkClient.connect(server)
    await watcher.request('q', { p: '/left', h: '' })
    watcher.take()
    await using socket = await RawSocket.connect(server, android())
    socket.text(`{"t":"d","d":{"a":"o","r":0,"b":{"p":"left","d":"${client}"}}}`)
    await socket.until(() => socket.texts.length > 1)
    socket.write(frameOf(CLOSE, Buffer.from(payload, 'latin1')))
    expect((await socket.closed.promise).code).toBe(code)
    expect(await watcher.first(1)).toEqual([`d /left "${client}"`])
  })
})

describe('a write that is too long is answered, wherever its number stands', () => {
  const data = (length: number) => `"${'x'.repeat(length)}"`
  test.each([
    ['JavaScript', (d: string) => `{"t":"d","d":{"r":7,"a":"p","b":{"p":"/a","d":${d}}}}`],
    ['Android', (d: string) => `{"t":"d","d":{"a":"p","r":7,"b":{"p":"a","d":${d}}}}`],
    ['Apple', (d: string) => `{"d":{"r":7,"a":"p","b":{"p":"\\/a","d":${d}}},"t":"d"}`],
    ['Apple, at another time', (d: string) => `{"d":{"b":{"p":"\\/a","d":${d}},"a":"p","r":7},"t":"d"}`],
    ['Apple, at a third one', (d: string) => `{"t":"d","d":{"b":{"p":"\\/a","d":${d}},"r":7,"a":"p"}}`],
  ])('%s', async (_, made) => {
    await using socket = await RawSocket.connect(server, android())
    const text = made(data(2 * MAX_BYTES))
    const count = Math.ceil(text.length / SEGMENT)
    socket.text(String(count))
    for (let at = 0; at < count; at++) socket.text(text.slice(at * SEGMENT, (at + 1) * SEGMENT))
    socket.text('{"t":"d","d":{"a":"p","r":8,"b":{"p":"b","d":1}}}')
    await socket.until(() => socket.texts.length > 2)
    expect(socket.texts.slice(1)).toEqual([
      expect.stringContaining('"r":7,"b":{"s":"too_big","d":"Data to write exceeds'),
      ok(8),
    ])
  })
})
