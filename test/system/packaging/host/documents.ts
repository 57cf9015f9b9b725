import { dhole } from 'dhole'
import { Elysia } from 'elysia'

/** A host that serves the documents: prints every file that the page loads, its status and its SHA-256. */
const app = new Elysia().use(dhole({ dataDir: './documents', docs: true, applications: { app: { open: true } } }))
app.listen({
  hostname: '127.0.0.1',
  port: 0,
  tls: { cert: Bun.file('certificate.pem'), key: Bun.file('key.pem') },
})

async function get(path: string): Promise<Response> {
  return fetch(`https://127.0.0.1:${app.server?.port}${path}`, { tls: { rejectUnauthorized: false } })
}

const page = await (await get('/swagger')).text()
for (const [, path = ''] of page.matchAll(/(?:src|href)="(\/swagger\/[^"]+)"/g)) {
  const reply = await get(path)
  const digest = new Bun.CryptoHasher('sha256').update(await reply.arrayBuffer()).digest('hex')
  process.stdout.write(`${path} ${reply.status} ${digest}\n`)
}
await app.stop(true)
