import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { connect } from 'node:tls'
import { takeStopSignals } from '../../../src/cli/stop-signals.ts'
import { longTest } from '../../support/lane.ts'
import { type ServerProcess, spawnServer } from '../../support/server-process.ts'
import { tempDir } from '../../support/temp-dir.ts'

const BEGIN = '"begun'
const REST = ' and ended"'

/** A PUT whose body has not ended, which the server has begun with. */
interface HeldRequest {
  /** Sends the rest of the body. @returns the answer */
  end(): Promise<string>
  /** All that the server sent until it closed the connection. */
  readonly closed: Promise<string>
}

async function holdRequest(server: Pick<ServerProcess, 'url' | 'certificate'>): Promise<HeldRequest> {
  const begun = Promise.withResolvers<void>()
  const closed = Promise.withResolvers<string>()
  const { hostname: host, port } = new URL(server.url)
  const socket = connect({ host, port: Number(port), ca: await Bun.file(server.certificate).text() }, () => {
    const head = ['PUT /a.json HTTP/1.1', 'Host: localhost', 'Expect: 100-continue', 'Connection: close']
    socket.write(`${head.join('\r\n')}\r\nContent-Length: ${BEGIN.length + REST.length}\r\n\r\n${BEGIN}`)
  })
  let received = ''
  socket.on('data', (chunk) => {
    received += String(chunk)
    if (received.startsWith('HTTP/1.1 100 ')) begun.resolve()
  })
  socket.on('error', begun.reject)
  socket.on('close', () => closed.resolve(received))
  await begun.promise
  return {
    end: () => {
      socket.write(REST)
      return closed.promise
    },
    closed: closed.promise,
  }
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await Bun.sleep(5)
}

test('signals that follow the first at once do not end the request under way', async () => {
  await using dir = await tempDir()
  const server = await spawnServer({ DATA_DIR: dir.path })
  const request = await holdRequest(server)
  server.kill('SIGINT')
  await until(() => server.output().includes('"stopping"'))
  server.kill('SIGINT')
  server.kill('SIGTERM')
  expect(await request.end()).toEndWith(`\r\n\r\n${BEGIN}${REST}`)
  expect(await server.exited).toBe(0)
  expect(server.output()).toContain('"stopped"')
  expect(server.output()).not.toContain('not waiting')
  expect(existsSync(join(dir.path, 'control.sock'))).toBe(false)
})

longTest('a signal that comes later cuts off the request under way and ends well', async () => {
  await using dir = await tempDir()
  const server = await spawnServer({ DATA_DIR: dir.path })
  const request = await holdRequest(server)
  const repeat = setInterval(() => server.kill('SIGINT'), 100)
  try {
    expect(await request.closed).not.toContain('HTTP/1.1 200')
  } finally {
    clearInterval(repeat)
  }
  expect(await server.exited).toBe(0)
  expect(server.output()).toContain('not waiting for requests under way')
  expect(server.output()).toContain('"stopped"')
  expect(existsSync(join(dir.path, 'control.sock'))).toBe(false)
})

test('Ctrl-C stops a server that was started by a script of bun', async () => {
  await using dir = await tempDir()
  const main = Bun.fileURLToPath(new URL('../../../src/cli/main.ts', import.meta.url))
  await Bun.write(dir.file('package.json'), JSON.stringify({ scripts: { start: `bun ${main} serve` } }))
  const data = dir.file('data')
  const child = Bun.spawn([process.execPath, 'start'], {
    cwd: dir.path,
    env: { PATH: process.env['PATH'] ?? '', PORT: '0', DATA_DIR: data },
    // A group of its own, as a terminal gives to what is started in it.
    detached: true,
    stdout: 'pipe',
    stderr: 'ignore',
  })
  let printed = ''
  const read = (async () => {
    for await (const chunk of child.stdout.pipeThrough(new TextDecoderStream())) printed += chunk
  })()
  await until(() => printed.includes('listening on'))
  const url = /listening on (https:\S+)\n/.exec(printed)?.[1] ?? ''
  const request = await holdRequest({ url, certificate: join(data, 'tls', 'certificate.pem') })
  // To the whole group: the runner forwards what it gets itself.
  process.kill(-child.pid, 'SIGINT')
  await until(() => printed.includes('"stopping"'))
  process.kill(-child.pid, 'SIGINT')
  expect(await request.end()).toEndWith(`\r\n\r\n${BEGIN}${REST}`)
  expect(await child.exited).toBe(0)
  await read
  expect(printed).toContain('"stopped"')
  expect(await readdir(data)).not.toContain('control.sock')
})

test('further signals count from two seconds after the one before', async () => {
  let now = 0
  const known = new Map((['SIGINT', 'SIGTERM'] as const).map((signal) => [signal, process.listeners(signal)]))
  const signals = takeStopSignals(() => now)
  const asked: string[] = []
  void signals.stopped.then(() => asked.push('stopped'))
  void signals.hurried.then(() => asked.push('hurried'))
  void signals.forced.then(() => asked.push('forced'))
  const at = async (time: number, signal: 'SIGINT' | 'SIGTERM') => {
    now = time
    process.emit(signal)
    await Promise.resolve()
    return [...asked]
  }
  try {
    expect(await at(10_000, 'SIGINT')).toEqual(['stopped'])
    expect(await at(11_999, 'SIGTERM')).toEqual(['stopped'])
    expect(await at(12_000, 'SIGINT')).toEqual(['stopped', 'hurried'])
    expect(await at(13_999, 'SIGINT')).toEqual(['stopped', 'hurried'])
    expect(await at(14_000, 'SIGTERM')).toEqual(['stopped', 'hurried', 'forced'])
    expect(await at(20_000, 'SIGTERM')).toEqual(['stopped', 'hurried', 'forced'])
  } finally {
    for (const [signal, listeners] of known) {
      for (const added of process.listeners(signal)) if (!listeners.includes(added)) process.off(signal, added)
    }
  }
})
