import { expect, test } from 'bun:test'
import { mkdir } from 'node:fs/promises'
import { signatureOf } from '../../protocol/sms/calls.ts'
import { SMS_KEY } from '../../protocol/sms/service.ts'
import { addApplication, runDhole } from '../../support/dhole-command.ts'
import { tempDir } from '../../support/temp-dir.ts'
import { dhole } from '../cli/dhole.ts'

const TIMESTAMP = 'timestamp=1492675740231'
const BODY =
  '{"type":1,"data":[{"status":"Success","deliveryStatus":"DELIVRD","mobile":"13800138000","rrid":"e97539af58f44a0092","receiveTime":"2017-04-20 16:09:05"}]}'

const vectors: readonly (readonly [does: readonly string[], signature: string, text: string])[] = [
  [[TIMESTAMP], '7d4f66d52f7a2cc312d13db17a39921a913873819e4ebe782c8e2b9d7b38e0fa', TIMESTAMP],
  [
    ['rrid=e97539af58f44a0092'],
    'd94a6b8560f8ab7178ad7b42283800918c5296bf2690705e5469322d0fc04fd8',
    'rrid=e97539af58f44a0092',
  ],
  [
    [TIMESTAMP, 'templateId=100000', 'mobile=13800138000', 'signature=anything'],
    '159dd5bcc9beef1d8e4ee309d957b3bc701a93c68a9b994f19da40a4a4fff848',
    `mobile=13800138000&templateId=100000&${TIMESTAMP}`,
  ],
  [
    ['mobiles=["13800138000","13900139000"]', 'params=["小王","123456"]', 'templateId=100001', TIMESTAMP],
    'f1cdc059353dae18bf449714165cd69ee14efedbe4c949bffb9b4ad81763dfa0',
    `mobiles=["13800138000","13900139000"]&params=["小王","123456"]&templateId=100001&${TIMESTAMP}`,
  ],
]

test.each(vectors)('sign %p', async (does, signature, text) => {
  const { status, stdout, stderr } = await runDhole(['sms', 'sign', ...does], { SMS_KEY })
  expect<unknown>({ status, stdout, stderr }).toEqual({ status: 0, stdout: `${signature}\n`, stderr: '' })
  const explained = await runDhole(['sms', 'sign', '--explain', ...does], { SMS_KEY })
  expect<unknown>(explained).toEqual({ status: 0, stdout: `${signature}\n`, stderr: `${text}\n` })
})

test('a body is the text of a file, or of standard input', async () => {
  await using dir = await tempDir()
  const file = dir.file('body.json')
  await Bun.write(file, BODY)
  const args = ['sms', 'sign', TIMESTAMP, '--body']
  const expected = 'd45715a0f6e806c3e106cbf613e474af2a31e4bba388408cd42be0c803b97fee\n'
  expect<unknown>(await dhole([...args, file], { env: { SMS_KEY } })).toEqual({ status: 0, out: expected, err: '' })
  const piped = await dhole([...args, '-'], { env: { SMS_KEY }, stdin: BODY })
  expect<unknown>(piped).toEqual({ status: 0, out: expected, err: '' })
  const withLineFeed = await dhole([...args, '-'], { env: { SMS_KEY }, stdin: `${BODY}\n` })
  expect(withLineFeed.out).not.toBe(expected)
})

test('the key of the environment is that of the default application; others have the one that is kept', async () => {
  await using dir = await tempDir()
  const { smsKey } = await addApplication(dir.path, 'shop')
  const kept = `${signatureOf({ a: '1' }, smsKey)}\n`
  const set = `${signatureOf({ a: '1' }, SMS_KEY)}\n`
  const sign = (args: readonly string[], env: Readonly<Record<string, string>>) =>
    runDhole(['sms', 'sign', 'a=1', ...args], env)
  const ofShop = ['--app', 'shop', '--data-dir', dir.path]
  for (const [args, env, stdout] of [
    [ofShop, {}, kept],
    [[], { APP_ID: 'shop', DATA_DIR: dir.path }, kept],
    [[], { APP_ID: 'shop', DATA_DIR: dir.path, SMS_KEY: '' }, kept],
    [[], { SMS_KEY }, set],
    [ofShop, { SMS_KEY }, kept],
    [ofShop, { SMS_KEY, APP_ID: 'shop' }, set],
  ] as const) {
    expect<unknown>({ args, env, ...(await sign(args, env)) }).toEqual({ args, env, status: 0, stdout, stderr: '' })
  }
  const rotated = await runDhole(['apps', 'rotate', 'shop', '--yes', '--sms-key', '--data-dir', dir.path])
  expect(rotated.status).toBe(0)
  expect((await sign(ofShop, {})).stdout).not.toBe(kept)
})

test('a token is the signature of its source alone', async () => {
  const result = await runDhole(['sms', 'token', 'gateway-1.example_A'], { SMS_KEY })
  const stdout = `${signatureOf({ source: 'gateway-1.example_A' })}\n`
  expect<unknown>(result).toEqual({ status: 0, stdout, stderr: '' })
})

test('what cannot be signed is told, and nothing is printed', async () => {
  await using dir = await tempDir()
  await mkdir(dir.file('secrets'))
  await Bun.write(dir.file('secrets/short.sms'), 'short\n')
  await Bun.write(dir.file('latin1.json'), new Uint8Array([0x7b, 0xe9, 0x7d]))
  const key = { SMS_KEY }
  const rows: readonly (readonly [does: readonly string[], env: Readonly<Record<string, string>>, err: RegExp])[] = [
    [['sign'], key, /^dhole: nothing to sign: give parameters such as timestamp=\d+\n$/],
    [['sign', 'timestamp'], key, /^dhole: "timestamp": expected name=value\n$/],
    [['sign', '=1'], key, /^dhole: "=1": expected name=value\n$/],
    [['sign', ''], key, /^dhole: "": expected name=value\n$/],
    [['sign', 'a=1', 'b=2', 'a=1'], key, /^dhole: "a" is given twice\n$/],
    [
      ['sign', 'body=x', '--body', dir.file('latin1.json')],
      key,
      /^dhole: --body: the parameter body is given already\n$/,
    ],
    [['sign', '--body', dir.file('none')], key, /^dhole: \S+none: cannot be read: there is no such file\n$/],
    [['sign', '--body', dir.file('latin1.json')], key, /^dhole: \S+: not UTF-8 text\n$/],
    [['sign', 'a=1'], {}, /^dhole: no SMS key: set SMS_KEY, or name --app and --data-dir: there is no \S+app\.sms\n$/],
    [['sign', 'a=1', '--app', 'none'], {}, /there is no \S+none\.sms\n$/],
    [['sign', 'a=1', '--app', '../short'], {}, /^dhole: --app: "\.\.\/short" is no name of an application\n$/],
    [['sign', 'a=1', '--app', 'short'], {}, /^dhole: \S+short\.sms holds no secret of at least 16 characters\n$/],
    [['token'], key, /missing required argument/],
    [['token', 'a b'], key, /^dhole: "a b" cannot name a source: /],
    [['token', ''], key, /^dhole: "" cannot name a source: /],
    [['token', 'ü'], key, /cannot name a source/],
    [['token', 'x'.repeat(65)], key, /cannot name a source/],
    [['token', 'a'], {}, /^dhole: no SMS key: /],
    [['send'], key, /unknown command/],
  ]
  for (const [does, env, err] of rows) {
    const result = await runDhole(['sms', ...does], { DATA_DIR: dir.path, ...env })
    expect<unknown>({ does, ...result }).toEqual({ does, status: 2, stdout: '', stderr: expect.stringMatching(err) })
  }
})
