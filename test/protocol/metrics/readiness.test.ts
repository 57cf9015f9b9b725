import { expect, test } from 'bun:test'
import { copyFileSync, writeFileSync } from 'node:fs'
import { Elysia } from 'elysia'
import { treeFile } from '../../../src/data-folder/tree-file.ts'
import { mount, openApplications } from '../../../src/dhole.ts'
import { dhole } from '../../../src/index.ts'
import { Metrics } from '../../../src/monitor/metrics.ts'
import { silentObserver } from '../../../src/observer.ts'
import type { DholeOptions } from '../../../src/options.ts'
import { PrometheusPage } from '../../../src/server/metrics/metrics-page.ts'
import { fileTest, storageOf } from '../../support/engine.ts'
import { HeldSyncs } from '../../support/held-syncs.ts'
import { clientOf, filesClosed } from '../../support/https-server.ts'
import { sharedCertificate } from '../../support/shared-certificate.ts'
import { tempDir } from '../../support/temp-dir.ts'
import { samplesOf } from '../../system/metrics/page.ts'

/** The plugin behind HTTPS over applications whose syncs a test can hold. */
async function scene() {
  const dir = await tempDir()
  const tls = await sharedCertificate()
  const syncs = new HeldSyncs()
  const storage = { syncLog: syncs.syncLog } as NonNullable<DholeOptions['storage']>
  const options = {
    ...storageOf(dir.path),
    dataDir: dir.path,
    applications: { app: { open: true } },
    storage,
    observer: silentObserver,
  }
  const { applications } = openApplications(options)
  const app = new Elysia({ handler: { standardHostname: false } })
    .use(mount(applications, options))
    .listen({ hostname: '127.0.0.1', port: 0, tls })
  return {
    ...clientOf(app.server?.port ?? 0, tls.cert),
    dataDir: dir.path,
    syncs,
    applications,
    [Symbol.asyncDispose]: async () => {
      syncs.release()
      await app.stop(true)
      await applications.close()
      await dir[Symbol.asyncDispose]()
    },
  }
}

const unready = (reason: string) => ({ status: 503, text: JSON.stringify({ status: 'unavailable', reason }) })

fileTest('it holds the syncs of the file', 'a failed sync makes it unready for good, and it stays alive', async () => {
  await using here = await scene()
  expect((await here.call('GET', '/ready')).status).toBe(200)
  here.syncs.holding = true
  const write = here.call('PUT', '/a.json', { body: '1' })
  await here.syncs.arrived()
  here.syncs.end(new Error('the disk is gone'))
  expect((await write).status).toBe(503)
  const answer = await here.call('GET', '/ready')
  expect(answer).toMatchObject(unready('storage'))
  expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
  expect((await here.call('HEAD', '/ready')).status).toBe(503)
  expect((await here.call('GET', '/health')).status).toBe(200)
})

fileTest(
  'it holds the syncs of the file',
  'a disk that does not answer makes it unready until it does, and the metrics say so',
  async () => {
    await using here = await scene()
    const page = new PrometheusPage(new Metrics(), () => here.applications.readiness())
    const metric = async () => samplesOf((await page.print()).text).get('dhole_ready')
    expect(await metric()).toBe(1)
    here.syncs.holding = true
    const write = here.call('PUT', '/a.json', { body: '1' })
    await here.syncs.arrived()
    // Both wait for seconds.
    const [answer, sample] = await Promise.all([here.call('GET', '/ready'), metric()])
    expect(answer).toMatchObject(unready('slow'))
    expect(sample).toBe(0)
    here.syncs.release()
    expect((await write).status).toBe(200)
    expect((await here.call('GET', '/ready')).status).toBe(200)
    expect(await metric()).toBe(1)
    page.close()
  },
)

fileTest('it holds the syncs of the file', 'whoever asks writes nothing', async () => {
  await using here = await scene()
  await here.call('PUT', '/a.json', { body: '1' })
  here.syncs.holding = true
  for (let n = 0; n < 20; n++) expect((await here.call('GET', '/ready')).status).toBe(200)
  expect(here.syncs.waiting).toBe(0)
})

fileTest(
  'it holds the syncs of the file',
  'an application that is being replaced counts as storage, until it is open again',
  async () => {
    await using here = await scene()
    here.syncs.holding = true
    const write = here.call('PUT', '/a.json', { body: '1' })
    await here.syncs.arrived()
    const replaced = here.applications.replace('app', () => {})
    expect(await here.call('GET', '/ready')).toMatchObject(unready('storage'))
    expect((await here.call('GET', '/health')).status).toBe(200)
    here.syncs.release()
    await replaced
    expect((await write).status).toBe(200)
    expect((await here.call('GET', '/ready')).status).toBe(200)
  },
)

fileTest(
  'it damages the file',
  'an application that cannot be opened any more counts as storage, until there is a good file again',
  async () => {
    await using here = await scene()
    await here.call('PUT', '/a.json', { body: '1' })
    const file = treeFile(here.dataDir, 'app')
    const good = `${file}.good`
    await here.applications.replace('app', () => {
      copyFileSync(file, good)
      writeFileSync(file, 'no tree')
    })
    expect(await here.call('GET', '/ready')).toMatchObject(unready('storage'))
    await here.applications.replace('app', () => copyFileSync(good, file))
    expect((await here.call('GET', '/ready')).status).toBe(200)
    expect((await here.call('GET', '/a.json')).text).toBe('1')
  },
)

test('what is about to end is not ready', async () => {
  await using here = await scene()
  here.applications.stop()
  expect(await here.call('GET', '/ready')).toMatchObject(unready('stopping'))
  expect((await here.call('GET', '/health')).status).toBe(200)
  await here.applications.close()
  expect(await here.call('GET', '/ready')).toMatchObject(unready('stopping'))
})

test('stands below the prefix, and leaves the rest to the host', async () => {
  await using dir = await tempDir()
  const tls = await sharedCertificate()
  const host = new Elysia()
    .get('/ready', () => 'the host')
    .use(dhole({ ...storageOf(dir.path), dataDir: dir.path, prefix: '/tree', applications: { app: { open: true } } }))
    .listen({ hostname: '127.0.0.1', port: 0, tls })
  const { call } = clientOf(host.server?.port ?? 0, tls.cert)
  // An engine may open its applications when it has begun to listen; requests wait for that.
  expect((await call('GET', '/tree/.json')).text).toBe('null')
  expect((await call('GET', '/tree/ready')).text).toBe('{"status":"ok"}')
  expect((await call('GET', '/ready')).text).toBe('the host')
  // The plugin counts nothing by itself.
  expect((await call('GET', '/tree/metrics')).status).toBe(400)
  await host.stop(true)
  await filesClosed(dir.path)
})
