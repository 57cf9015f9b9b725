import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { encoded, FORM, mobiles, SmsClient, timestamp } from '../../protocol/sms/calls.ts'
import { SMS_KEY, startSms } from '../../protocol/sms/service.ts'
import { type TempDir, tempDir } from '../../support/temp-dir.ts'
import { withServer } from '../../support/with-server.ts'

const numbers = mobiles(3)
const [FIRST = '', SECOND = '', THIRD = ''] = numbers

const server = withServer(startSms)
let dir: TempDir

beforeAll(async () => {
  dir = await tempDir()
  await Bun.write(dir.file('certificate.pem'), server.ca)
})

afterAll(async () => {
  await dir[Symbol.asyncDispose]()
})

/** Runs a program to its end. @returns what it printed @throws Error with its complaints when it fails */
async function run(command: readonly string[], input = ''): Promise<string> {
  const child = Bun.spawn([...command], { stdin: new Blob([input]), stdout: 'pipe', stderr: 'pipe' })
  const [printed, complaints, status] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  if (status !== 0) throw new Error(`${command[0]} ended with ${status}: ${complaints}${printed}`)
  return printed
}

/** What a script prints. */
interface Printed {
  readonly recorded: { readonly data: { readonly rrid: string } }
}

describe.each([
  { language: 'Python', program: Bun.which('python3'), name: 'python3', script: 'status.py' },
  { language: 'PHP', program: Bun.which('php'), name: 'php', script: 'status.php' },
])('$language', ({ program, name, script }) => {
  const title = program === null ? ` (skipped: no ${name} on the search path)` : ''

  test.skipIf(program === null)(`a script that only knows the public rule gets what we get${title}`, async () => {
    const file = Bun.fileURLToPath(new URL(`clients/${script}`, import.meta.url))
    const args = [server.url, 'app', SMS_KEY, dir.file('certificate.pem'), ...numbers]
    const printed: unknown = JSON.parse(await run([program ?? name, file, ...args]))
    const { rrid } = (printed as Printed).recorded.data
    const first = { status: 2, mobile: FIRST, receiveTime: '2017-04-20 16:09:05', rrid, deliveryStatus: 'DELIVRD' }
    const second = { ...first, status: 3, mobile: SECOND, deliveryStatus: 'MY:1109' }
    const third = { status: 0, mobile: THIRD, receiveTime: '', rrid, deliveryStatus: '' }
    const ok = (data: unknown) => ({ status: 'ok', data })
    expect(rrid).toMatch(/^[0-9a-f]{18}$/)
    expect(printed).toEqual({
      recorded: ok({ rrid }),
      reported: ok({ accepted: 2, ignored: 0 }),
      batch: ok([first, second, third]),
      batchSent: ok([first, second, third]),
      news: ok([second, first]),
      newsSent: ok([]),
    })
    const ours = new SmsClient(server.call)
    expect(await ours.statuses(rrid)).toEqual([first, second, third])
    expect(await ours.fresh()).toEqual([])
  })
})

describe('a shell', () => {
  const openssl = Bun.which('openssl')
  const curl = Bun.which('curl')
  const missing = [openssl === null ? 'openssl' : '', curl === null ? 'curl' : ''].filter((name) => name !== '')
  const title = missing.length === 0 ? '' : ` (skipped: no ${missing.join(', no ')} on the search path)`

  async function digest(text: string): Promise<string> {
    return (await run([openssl ?? 'openssl', 'dgst', '-sha256', '-r'], text)).split(' ')[0] ?? ''
  }

  test.skipIf(missing.length > 0)(`signs with openssl and asks with curl${title}`, async () => {
    const ask = async (...args: readonly string[]): Promise<unknown> =>
      JSON.parse(await run([curl ?? 'curl', '--silent', '--cacert', dir.file('certificate.pem'), ...args]))
    const [list, now] = [JSON.stringify(numbers), timestamp()]
    const recorded = await ask(
      `${server.url}/api/v1/app/batch/record`,
      ...['--header', `Content-Type: ${FORM['Content-Type']}`, '--data-urlencode', `mobiles=${list}`],
      ...['--data', `timestamp=${now}`],
      ...['--data', `signature=${await digest(`mobiles=${list}&timestamp=${now}&${SMS_KEY}`)}`],
    )
    const { rrid } = (recorded as { data: { rrid: string } }).data
    const query = encoded({ rrid, signature: await digest(`rrid=${rrid}&${SMS_KEY}`) })
    const records = numbers.map((mobile) => ({ status: 0, mobile, receiveTime: '', rrid, deliveryStatus: '' }))
    expect(await ask(`${server.url}/api/v1/app/status?${query}`)).toEqual({ status: 'ok', data: records })
    expect(await ask(`${server.url}/api/v1/app/status`, '--data', query)).toEqual({ status: 'ok', data: records })
  })
})
