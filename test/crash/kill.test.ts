import { Database as Client } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { type ChildServer, startChild } from '../support/child-server.ts'
import { tempDir } from '../support/temp-dir.ts'

const ROUNDS = 3
const CLIENTS = 6
/** Acknowledged writes of a round before the process is killed, at random between these. */
const LEAST_WRITES = 60
const MOST_WRITES = 600

/** What the server has acknowledged, over all rounds. */
interface Acknowledged {
  /** Values by target, written once each. */
  readonly puts: Map<string, string>
  /** Values by generated name. */
  readonly posts: Map<string, string>
  /** Last number that each client wrote to its two places in one PATCH. */
  readonly pairs: Map<number, number>
  count: number
}

/** Writes until the connection breaks; notes only what was acknowledged. */
async function write(server: ChildServer, client: number, round: number, done: Acknowledged): Promise<void> {
  for (let turn = 0; ; turn++) {
    const label = `${round}-${client}-${turn}`
    const target = `/puts/${label}.json`
    const put = await server.call('PUT', target, { body: JSON.stringify({ filler: 'x'.repeat(turn % 300), label }) })
    expect(put.status).toBe(200)
    done.puts.set(target, put.text)
    const post = await server.call('POST', '/posts.json', { body: `"${label}"` })
    expect(post.status).toBe(200)
    done.posts.set((JSON.parse(post.text) as { name: string }).name, `"${label}"`)
    const number = (done.pairs.get(client) ?? 0) + 1
    const patch = JSON.stringify({ [`left/${client}`]: number, [`right/side/${client}`]: number })
    const patched = await server.call('PATCH', '/.json', { body: patch })
    expect(patched.status).toBe(200)
    done.pairs.set(client, number)
    done.count += 3
  }
}

/** Loads a server and kills it amid the load. */
async function loadAndKill(server: ChildServer, round: number, done: Acknowledged): Promise<void> {
  const killAt = done.count + LEAST_WRITES + Math.floor(Math.random() * (MOST_WRITES - LEAST_WRITES))
  let killed = false
  const failures: unknown[] = []
  const clients = Array.from({ length: CLIENTS }, (_, client) =>
    write(server, client, round, done).catch((failure: unknown) => {
      if (!killed) failures.push(failure)
    }),
  )
  while (done.count < killAt && failures.length === 0) await new Promise(setImmediate)
  killed = true
  await server.kill()
  await Promise.all(clients)
  expect(failures).toEqual([])
}

async function expectAllThere(server: ChildServer, done: Acknowledged): Promise<void> {
  for (const [target, text] of done.puts)
    expect([target, (await server.call('GET', target)).text]).toEqual([target, text])
  const posts = JSON.parse((await server.call('GET', '/posts.json')).text) as Record<string, string>
  for (const [name, text] of done.posts) expect([name, JSON.stringify(posts[name])]).toEqual([name, text])
  for (const [client, number] of done.pairs) {
    const left = await server.call('GET', `/left/${client}.json`)
    const right = await server.call('GET', `/right/side/${client}.json`)
    expect([client, left.text]).toEqual([client, right.text])
    // One PATCH may have been durable without its answer having come through.
    expect([number, number + 1]).toContain(Number(left.text))
    done.pairs.set(client, Number(left.text))
  }
}

test('kill -9 amid acknowledged writes loses none of them and leaves no half of one', async () => {
  await using dir = await tempDir()
  const options = { dataDir: dir.path, applications: { app: { open: true } } }
  const done: Acknowledged = { puts: new Map(), posts: new Map(), pairs: new Map(), count: 0 }
  for (let round = 0; round < ROUNDS; round++) {
    await loadAndKill(await startChild(options), round, done)
    await using again = await startChild(options)
    await expectAllThere(again, done)
  }
  const file = new Client(dir.file('apps/app.sqlite'))
  expect(file.query('PRAGMA integrity_check').values()).toEqual([['ok']])
  expect(file.query('PRAGMA foreign_key_check').values()).toEqual([])
  file.close()
}, 60_000)
