/** Runs the programs that the documents show. */
import { expect } from 'bun:test'
import { join } from 'node:path'
import { certificateFor } from '../../support/certificates.ts'
import { tempDir } from '../../support/temp-dir.ts'
import { withoutMoments } from './blocks.ts'

/** Modules that a reader has installed, as they stand here. */
const MODULES: Readonly<Record<string, string>> = {
  dhole: Bun.fileURLToPath(new URL('../../../src/index.ts', import.meta.url)),
  'dhole/embedded': Bun.fileURLToPath(new URL('../../../src/embedded.ts', import.meta.url)),
  elysia: Bun.fileURLToPath(import.meta.resolve('elysia')),
}

/** Runs a program to its end and compares what it prints. */
export async function runProgram(source: string, shown: string): Promise<void> {
  await using dir = await tempDir()
  const child = await start(source, dir.path)
  const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text()])
  expect(err).toBe('')
  expect(withoutMoments(out), source).toBe(withoutMoments(shown))
}

/** Starts a host application that prints an address, and reads the root of its tree there. */
export async function runHost(source: string): Promise<void> {
  await using dir = await tempDir()
  const { cert, key } = await certificateFor()
  await Bun.write(join(dir.path, 'certificate.pem'), cert)
  await Bun.write(join(dir.path, 'certificate-key.pem'), key)
  expect(source).toContain('port: 8443,')
  const child = await start(source.replace('port: 8443,', "hostname: '127.0.0.1', port: 0,"), dir.path)
  try {
    const reply = await fetch(await firstLine(child.stdout), { tls: { ca: cert } })
    expect([reply.status, await reply.text()]).toEqual([200, 'null'])
  } finally {
    child.kill()
    await child.exited
  }
}

async function start(source: string, folder: string) {
  const file = join(folder, 'shown.ts')
  const installed = source.replace(/(?<=from )'([^']+)'/g, (_, name: string) => JSON.stringify(MODULES[name] ?? name))
  await Bun.write(file, installed)
  return Bun.spawn([process.execPath, file], { cwd: folder, stdout: 'pipe', stderr: 'pipe' })
}

async function firstLine(stream: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of stream) {
    text += decoder.decode(chunk, { stream: true })
    if (text.includes('\n')) break
  }
  return text.slice(0, text.indexOf('\n'))
}
