import { expect, test } from 'bun:test'
import { readdirSync, statSync } from 'node:fs'
import { addApplication, runDhole, shownKeys } from '../../support/dhole-command.ts'
import { longTest } from '../../support/lane.ts'
import { clientOfProcess, spawnServer } from '../../support/server-process.ts'
import { tempDir } from '../../support/temp-dir.ts'

test('keys are shown where a command asks for them and stand nowhere but in files of their owner', async () => {
  await using dir = await tempDir()
  const dataDir = dir.file('data')
  const settings = { DATA_DIR: dataDir, LOG_LEVEL: 'debug', FAILED_CREDENTIALS: '0' }
  const first = await spawnServer(settings)
  const made = await Promise.all(['app.secret', 'app.sms'].map((name) => Bun.file(`${dataDir}/secrets/${name}`).text()))
  const { secret, smsKey } = await addApplication(dataDir, 'shop')
  const rotated = shownKeys((await runDhole(['apps', 'rotate', 'shop', '--yes', '--data-dir', dataDir])).stdout)
  const keys = [...made.map((key) => key.trim()), secret, smsKey, ...rotated]
  expect(new Set(keys).size).toBe(5)
  const { call } = await clientOfProcess(first)
  const answers: string[] = []
  for (const key of keys) {
    for (const [method, target] of [
      ['GET', `/a.json?ns=shop&auth=${key}`],
      ['GET', `/a.json?auth=${key}&print=x`],
      ['GET', `/${key}?auth=${key}`],
      ['GET', `/a.json?ns=${key}`],
      ['LOCK', `/a.json?access_token=${key}`],
      ['GET', '/swagger'],
      ['GET', '/swagger/json'],
      ['GET', '/docs/live'],
    ] as const) {
      const { text, headers } = await call(method, target, { headers: { Authorization: `Bearer ${key}` } })
      answers.push(text, JSON.stringify([...headers]))
    }
  }
  // A failure that is logged: the file of the application is damaged, and its secret is shown.
  await runDhole(['apps', 'remove', 'shop', '--yes', '--data-dir', dataDir])
  await Bun.write(`${dataDir}/apps/shop.json`, '{')
  answers.push((await call('GET', `/a.json?ns=shop&auth=${secret}`)).text)
  first.kill('SIGTERM')
  await first.exited
  const second = await spawnServer(settings)
  second.kill('SIGTERM')
  await second.exited
  const logged = [first.output(), second.output(), ...answers].join('\n')
  expect(logged).toContain('shop.json')
  for (const key of keys) expect(logged).not.toContain(key)
})

longTest('keys made by a start that fails stay in their files', async () => {
  await using dir = await tempDir()
  const tree = dir.file('apps/app.sqlite')
  await Bun.write(tree, 'no database, and longer than the header of one: '.repeat(100))
  const failed = await spawnServer({ DATA_DIR: dir.path }).catch(String)
  expect(failed).toContain('app.sqlite')
  const secret = (await Bun.file(`${dir.path}/secrets/app.secret`).text()).trim()
  expect(String(failed)).not.toContain(secret)
  await Bun.file(tree).delete()
  await using server = await spawnServer({ DATA_DIR: dir.path })
  const { call } = await clientOfProcess(server)
  expect((await call('GET', `/.settings/rules.json?auth=${secret}`)).status).toBe(200)
})

longTest('every file with a key in it is for its owner only, whatever the umask', async () => {
  await using dir = await tempDir()
  const dataDir = dir.file('data')
  const before = process.umask(0)
  try {
    // It makes the folder itself.
    const server = await spawnServer({ DATA_DIR: dataDir }, { makesCertificate: true })
    await addApplication(dataDir, 'shop')
    await runDhole(['apps', 'rotate', 'shop', '--yes', '--data-dir', dataDir])
    await runDhole(['apps', 'rotate', 'shop', '--yes', '--sms-key', '--data-dir', dataDir])
    await runDhole(['apps', 'rotate', 'app', '--yes', '--data-dir', dataDir])
    server.kill('SIGTERM')
    await server.exited
    await runDhole(['apps', 'rotate', 'app', '--yes', '--data-dir', dataDir])
    await addApplication(dataDir, 'later')
  } finally {
    process.umask(before)
  }
  const names = readdirSync(`${dataDir}/secrets`).toSorted()
  expect(names).toEqual(['app.secret', 'app.sms', 'later.secret', 'later.sms', 'shop.secret', 'shop.sms'])
  const modes = [...names.map((name) => `secrets/${name}`), 'apps/shop.json', 'apps/later.json'].map((name) => [
    name,
    statSync(`${dataDir}/${name}`).mode & 0o777,
  ])
  expect(modes.filter(([, mode]) => mode !== 0o600)).toEqual([])
  expect(statSync(dataDir).mode & 0o077).toBe(0)
})
