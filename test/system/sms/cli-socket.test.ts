import { expect, test } from 'bun:test'
import { addApplication, runDhole } from '../../support/dhole-command.ts'
import { startProcess } from '../../support/server-process.ts'
import { withServer } from '../../support/with-server.ts'

const server = withServer(startProcess)

/** Asks the socket of the server as its own commands do. */
async function tell(command: unknown): Promise<unknown> {
  const options = { unix: `${server.dataDir}/control.sock`, method: 'POST', body: JSON.stringify(command) }
  return (await fetch('http://localhost/', options)).json()
}

const message = { rrid: 'r', mobile: '13800138000', status: 0, deliveryStatus: '', submittedAt: 1 }
const importing = { do: 'sms-import', id: 'app', page: [message] }

test.each([
  ['an import without an application', { ...importing, id: undefined }],
  ['an import without a page', { ...importing, page: undefined }],
  ['a page of another kind', { ...importing, page: { 0: message, length: 1 } }],
  ['a page that is too long', { ...importing, page: Array.from({ length: 1001 }, () => message) }],
  ['a message that is none', { ...importing, page: [message, null] }],
  ['a message without a member', { ...importing, page: [{ ...message, mobile: undefined }] }],
  ['a message with another member', { ...importing, page: [{ ...message, price: 1 }] }],
  ['a status that is none', { ...importing, page: [{ ...message, status: 4 }] }],
  ['a time that is none', { ...importing, page: [{ ...message, submittedAt: '1' }] }],
  ['a page for a path', { ...importing, id: '../apps/app' }],
  ['a page for another kind of name', { ...importing, id: ['app'] }],
  ['a page for an unknown application', { ...importing, id: 'none' }],
  ['an export without a limit', { do: 'sms-export', id: 'app' }],
  ['an export of nothing', { do: 'sms-export', id: 'app', limit: 0 }],
  ['an export of everything at once', { do: 'sms-export', id: 'app', limit: 1001 }],
  ['an export after a text', { do: 'sms-export', id: 'app', limit: 1, after: ['0', '0'] }],
  ['an export of an unknown application', { do: 'sms-export', id: 'none', limit: 1 }],
  ['counts of nobody', { do: 'sms-counts' }],
])('%s is refused, and nothing is imported', async (_, command) => {
  expect(await tell(command)).toEqual({ error: expect.any(String) })
  expect(await tell({ do: 'sms-export', id: 'app', limit: 1000 })).toEqual({ result: { records: [] } })
})

test('a page with one wrong message is refused as a whole, at its place', async () => {
  const page = [message, { ...message, mobile: '12' }, { ...message, mobile: '13900139000', receivedAt: 'noon' }]
  const complaint = expect.stringContaining('mobile: ') as unknown
  expect(await tell({ ...importing, page })).toEqual({ result: { wrong: { at: 1, complaint } } })
  expect(await tell({ do: 'sms-export', id: 'app', limit: 1000 })).toEqual({ result: { records: [] } })
})

test.each([
  ['{', /^dhole: --sms: expected JSON such as \{"timeZone":"Europe\/Berlin"\}\n$/],
  ['[]', /^dhole: .*sms/],
  ['{"timezone":"Europe/Berlin"}', /^dhole: .*sms\/timezone/],
  ['{"timeZone":"Europe/Atlantis"}', /^dhole: .*sms: .*Europe\/Atlantis/],
  ['{"mobile":"("}', /^dhole: .*sms: /],
  ['{"retentionDays":0}', /^dhole: .*sms\/retentionDays/],
  ['{"intervalMs":-1}', /^dhole: .*sms\/intervalMs/],
])('apps add --sms %s is refused', async (settings, err) => {
  const result = await runDhole(['apps', 'add', 'shop', '--data-dir', server.dataDir, '--sms', settings])
  expect<unknown>(result).toEqual({ status: 2, stdout: '', stderr: expect.stringMatching(err) })
})

test('settings of text messages are kept with the application', async () => {
  const settings = { timeZone: '-03:30', mobile: '^[0-9]+$', retentionDays: 7, intervalMs: 0 }
  await addApplication(server.dataDir, 'settled', '--sms', JSON.stringify(settings))
  expect(await Bun.file(`${server.dataDir}/apps/settled.json`).json()).toEqual({ sms: settings })
})
