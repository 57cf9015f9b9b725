import { dhole } from 'dhole'
import { Elysia } from 'elysia'

/** A host that serves the console: prints every file that its page loads, with status and type. */
const app = new Elysia().use(
  dhole({
    dataDir: './console',
    console: { secret: 'a secret of the operator of this host' },
    applications: { app: {} },
  }),
)
app.listen({
  hostname: '127.0.0.1',
  port: 0,
  tls: { cert: Bun.file('certificate.pem'), key: Bun.file('key.pem') },
})

const base = `https://127.0.0.1:${app.server?.port}/console`
const get = (url: string | URL) => fetch(url, { tls: { rejectUnauthorized: false } })

const page = await (await get(base)).text()
for (const [, path = ''] of page.matchAll(/(?:src|href)="([^":]+)"/g)) {
  const reply = await get(new URL(path, base))
  process.stdout.write(`${path.split('/').at(-1)} ${reply.status} ${reply.headers.get('content-type')}\n`)
  await reply.arrayBuffer()
}
await app.stop(true)
