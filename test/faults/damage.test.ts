import { expect, test } from 'bun:test'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { addApplication } from '../support/dhole-command.ts'
import { startServer, type ServerProcess } from '../support/server-process.ts'
import { tempDir } from '../support/temp-dir.ts'

const PAGE_BYTES = 4096
const UNAVAILABLE = '"errcode":20104'

async function call({ url }: ServerProcess, method: string, path: string, body?: string): Promise<[number, string]> {
  const init = { method, tls: { rejectUnauthorized: false }, ...(body === undefined ? {} : { body }) }
  const reply = await fetch(url + path, init)
  return [reply.status, await reply.text()]
}

/** Writes nonsense over every page that has a text in it. @returns how many */
function damage(file: string, text: string): number {
  const bytes = readFileSync(file)
  let pages = 0
  for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + 1)) {
    const page = at - (at % PAGE_BYTES)
    bytes.fill(0xa5, page, page + PAGE_BYTES)
    pages++
  }
  writeFileSync(file, bytes)
  return pages
}

test('x', async () => {
  await using dir = await tempDir()
  const first = await startServer({ DATA_DIR: dir.path })
  const list = Object.fromEntries(Array.from({ length: 60 }, (_, number) => [`n${number}`, { text: `item-${number}-`.repeat(300) }]))
  expect((await call(first, 'PUT', '/list.json?print=silent', JSON.stringify(list)))[0]).toBe(204)
  first.kill('SIGTERM')
  await first.exited
  console.log(damage(dir.file('apps/app.sqlite'), 'item-30-item-30-'))
  const server = await startServer({ DATA_DIR: dir.path })
  for (const [m,p,b] of [['GET','/list/n30.json'],['GET','/list/n3.json'],['GET','/list.json'],['GET','/list.json?shallow=true'],['PUT','/list/n30.json','1'],['PUT','/list/n3.json','1'],['PUT','/x.json','1'],['DELETE','/list.json'],['GET','/.json'],['GET','/list/n29.json'],['GET','/list/n31.json'],['GET','/list.json?orderBy="text"&limitToFirst=2'],['GET','/x.json']] as const) console.log(m,p,(await call(server,m,p,b)).map(x=>String(x).slice(0,150)))
  console.log(server.output().slice(0,6000))
  await server.stop()
})
