import { type DholeOptions, dhole } from 'dhole'
import { ConditionFailedError, type Database, DholeError, openDatabase } from 'dhole/embedded'
import { Elysia } from 'elysia'

/** A host as a newcomer writes one; it is compiled and run as part of a project of its own. */
const options: DholeOptions = { dataDir: './data', prefix: '/tree', applications: { app: { open: true } } }
const app = new Elysia().get('/', () => 'a host').use(dhole(options))
app.listen({
  hostname: '127.0.0.1',
  port: 0,
  tls: { cert: Bun.file('certificate.pem'), key: Bun.file('key.pem') },
})

const url = `https://127.0.0.1:${app.server?.port}/tree/rooms/lobby.json`
const tls = { rejectUnauthorized: false }
await fetch(url, { method: 'PUT', body: '{"topic":"Ahoy"}', tls })
const room = await (await fetch(url, { tls })).text()

async function embedded(db: Database): Promise<readonly [string, number][]> {
  await db.put('/scores', { ann: 1 })
  await db.transaction<number>('/scores/ann', (score) => (score ?? 0) + 1)
  const { children } = await db.query<number>('/scores', { orderBy: '$value' })
  return children.map(({ key, value }) => [key, value] as [string, number])
}

const db = openDatabase({ file: './embedded/tree.sqlite' })
const scores = await embedded(db)
const failure: unknown = await db.put('/scores', 1, { ifMatch: 'null_etag' }).catch((error: unknown) => error)
const seen = await new Promise<number | null>((resolve, reject) => {
  db.onValue<number>('/scores/ann', { onError: reject }, resolve)
})
const failed = failure instanceof ConditionFailedError && failure instanceof DholeError
process.stdout.write(`${room} ${JSON.stringify(scores)} ${failed} ${seen}\n`)
await db.close()
await app.stop(true)
