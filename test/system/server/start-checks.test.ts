import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { createServer } from 'node:net'
import { runDhole } from '../../support/dhole-command.ts'
import { longTest } from '../../support/lane.ts'
import { spawnServer } from '../../support/server-process.ts'
import { tempDir } from '../../support/temp-dir.ts'

test('a port that is taken is noticed before a folder, a secret or a certificate is made', async () => {
  await using dir = await tempDir()
  const taken = createServer()
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
  try {
    const address = taken.address()
    const port = String(typeof address === 'object' ? address?.port : undefined)
    for (const setting of ['PORT', 'HTTP_PORT', 'METRICS_PORT']) {
      const settings = { DATA_DIR: dir.file('data'), PORT: '0', [setting]: port }
      const { status, stdout, stderr } = await runDhole(['serve'], settings)
      expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
      expect(stderr).toBe(`dhole: ${setting}: port ${port} of 127.0.0.1 is in use: stop who has it, or set another\n`)
      expect(existsSync(dir.file('data'))).toBe(false)
    }
  } finally {
    taken.close()
  }
})

longTest('a certificate that is not trusted is told with what to do', async () => {
  await using dir = await tempDir()
  const server = await spawnServer({ DATA_DIR: dir.file('data') })
  const other = await spawnServer({ DATA_DIR: dir.file('other') }, { makesCertificate: true })
  try {
    const bare = await runDhole(['export', '--url', server.url])
    expect(bare.status).toBe(1)
    expect(bare.stderr).toBe(
      `dhole: ${server.url}: its certificate is not trusted: give --cacert, with tls/certificate.pem of its DATA_DIR if it made its own\n`,
    )
    const wrong = await runDhole(['export', '--url', server.url, '--cacert', other.certificate])
    expect(wrong.stderr).toBe(`dhole: ${server.url}: its certificate is not the one of --cacert, nor signed by it\n`)
    const missing = await runDhole(['export', '--url', server.url, '--cacert', dir.file('none.pem')])
    expect(missing.stderr).toBe(`dhole: --cacert: ${dir.file('none.pem')}: there is no such file\n`)
    expect(await runDhole(['export', '--url', server.url, '--cacert', server.certificate])).toEqual({
      status: 0,
      stdout: 'null\n',
      stderr: '',
    })
  } finally {
    await Promise.all([server.stop(), other.stop()])
  }
  const gone = await runDhole(['export', '--url', server.url])
  expect(gone.stderr).toBe(`dhole: ${server.url}: no server answers there\n`)
})
