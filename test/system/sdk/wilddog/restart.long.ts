import { expect, test } from 'bun:test'
import { clientOf } from '../../../support/https-server.ts'
import { type ServerProcess, spawnServer } from '../../../support/server-process.ts'
import { tempDir } from '../../../support/temp-dir.ts'
import { startScenario, type Version } from './start-wilddog.ts'

test.each(['0.7', '2.5'] satisfies Version[])(
  '%s: a client comes back to a server that was killed, and has written what it wanted',
  async (version) => {
    await using dir = await tempDir()
    const start = (port: number): Promise<ServerProcess> =>
      spawnServer(
        { DATA_DIR: dir.path, BASE_DOMAIN: 'dhole.localhost', PORT: String(port) },
        { makesCertificate: true },
      )
    const first = await start(0)
    const port = Number(new URL(first.url).port)
    const ca = await Bun.file(first.certificate).text()
    const { output, kill } = await startScenario(clientOf(port, ca), [version, 'restart'])
    try {
      const lines = linesOf(output)
      expect((await lines.next()).value).toBe('"ready"')
      first.kill('SIGKILL')
      await first.exited
      expect((await lines.next()).value).toBe('"writing"')
      await using _ = await start(port)
      expect(JSON.parse((await lines.next()).value ?? '')).toEqual({ n: 2, gone: true })
    } finally {
      kill()
    }
  },
)

async function* linesOf(output: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  let rest = ''
  for await (const text of output.pipeThrough(new TextDecoderStream() as never) as unknown as AsyncIterable<string>) {
    rest += text
    for (let end = rest.indexOf('\n'); end !== -1; end = rest.indexOf('\n')) {
      yield rest.slice(0, end)
      rest = rest.slice(end + 1)
    }
  }
  yield rest
}
