import { beforeAll, describe, expect, test } from 'bun:test'
import { DholeError } from '../../../src/error.ts'
import { parseRules } from '../../../src/rules/file/rule-set.ts'
import { openTestDatabase, openTestTree } from '../../support/engine.ts'
import { SECRET } from '../../support/https-server.ts'
import { tempDir } from '../../support/temp-dir.ts'
import { withServer } from '../../support/with-server.ts'

const admin = `auth=${encodeURIComponent(SECRET)}`
const OPEN = '{"rules":{".read":true,".write":true}}'

const server = withServer()

async function put(body: string | Uint8Array<ArrayBuffer>, headers = {}): Promise<readonly [number, unknown]> {
  const { status, text } = await server.call('PUT', `/.settings/rules.json?${admin}`, { body, headers })
  return [status, (JSON.parse(text) as { errcode?: number }).errcode]
}

const bytes = new TextEncoder()

describe('files that are no rules leave the old ones in force', () => {
  beforeAll(async () => {
    expect(await put(OPEN)).toEqual([200, undefined])
  })

  test.each([
    ['nothing', '', 20202],
    ['white space', ' \n ', 20602],
    ['a comment', '// {"rules":{}}', 20602],
    ['a comment without an end', '{"rules":{/*}}', 20602],
    ['null', 'null', 20602],
    ['a string', '"rules"', 20602],
    ['a list', '[{"rules":{}}]', 20602],
    ['no rules', '{}', 20602],
    ['rules that are none', '{"rules":null}', 20602],
    ['rules that are true', '{"rules":true}', 20602],
    ['two files', `${OPEN}${OPEN}`, 20602],
    ['rules twice', '{"rules":{},"rules":{".read":true}}', 20602],
    ['rules by another spelling', '{"rul\\u0065s":{},"rules":{".read":true}}', 20602],
    ['a rule twice by another spelling', '{"rules":{".read":false,"\\u002eread":true}}', 20602],
    ['a rule of rules', '{"rules":{".read":{".read":true}}}', 20602],
    ['a number', '{"rules":{".read":1}}', 20602],
    ['a key that is a path', '{"rules":{"a/b":{}}}', 20602],
    ['an empty key', '{"rules":{"":{}}}', 20602],
    ['half a character as a key', '{"rules":{"\\ud800":{}}}', 20602],
    ['a wildcard without a name', '{"rules":{"$":{}}}', 20602],
    ['the name of a wildcard twice on the way', '{"rules":{"$a":{"b":{"$a":{}}}}}', 20602],
    ['wildcards side by side', '{"rules":{"$a":{},"b":{},"$c":{}}}', 20601],
    ['a wildcard called as a name is', '{"rules":{"$auth":{".read":"auth == $data"}}}', 20602],
    ['code', '{"rules":{".read":"(() => true)()"}}', 20602],
    ['code that ends the process', '{"rules":{".read":"process.exit(1)"}}', 20602],
    ['a way to a constructor', '{"rules":{".read":"auth.constructor.constructor(\'return true\')() == true"}}', 20602],
    ['a template', '{"rules":{".read":"`true` == \'true\'"}}', 20602],
    ['an assignment', '{"rules":{".read":"auth.admin = true"}}', 20602],
  ] as const)('%s', async (_, source, errcode) => {
    expect(await put(source)).toEqual([400, errcode])
    expect((await server.call('GET', `/.settings/rules.json?${admin}`)).text).toBe(OPEN)
    expect((await server.call('PUT', '/a.json', { body: '1' })).status).toBe(200)
  })

  test.each([
    ['bytes that are no UTF-8', new Uint8Array([...bytes.encode('{"rules":{}}//'), 0xff]), {}, 20202],
    ['what is said to be packed', bytes.encode('{"rules":{}}'), { 'Content-Encoding': 'gzip' }, 20202],
    ['another packing', bytes.encode('{"rules":{}}'), { 'Content-Encoding': 'br' }, 20202],
    ['a bomb', Bun.gzipSync(new Uint8Array(64 * 1024 * 1024)), { 'Content-Encoding': 'gzip' }, 20404],
  ] as const)('%s', async (_, body, headers, errcode) => {
    expect(await put(new Uint8Array(body), headers)).toEqual([400, errcode])
    expect((await server.call('GET', `/.settings/rules.json?${admin}`)).text).toBe(OPEN)
  })
})

test('the last of several large files that come at once is in force', async () => {
  const file = (name: string) => {
    const nodes = Array.from({ length: 4000 }, (_, index) => [
      `node${index}`,
      { '.read': `auth.uid === '${name}${index}'` },
    ])
    return JSON.stringify({ rules: { [name]: { '.read': true }, ...Object.fromEntries(nodes) } })
  }
  const files = new Map(['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => [name, file(name)]))
  const answers = await Promise.all([...files.values()].map((source) => put(source)))
  expect(answers).toEqual([...files].map(() => [200, undefined]))
  const stored = (await server.call('GET', `/.settings/rules.json?${admin}`)).text
  const statuses = [...files].map(async ([name, source]) => {
    const { status } = await server.call('GET', `/${name}.json`)
    return [status, source === stored]
  })
  const expected = [...files.values()].map((source) => (source === stored ? [200, true] : [403, false]))
  expect(await Promise.all(statuses)).toEqual(expected)
  expect([...files.values()]).toContain(stored)
  expect(await put(OPEN)).toEqual([200, undefined])
})

test.each([
  ['a zero byte in a comment', '{"rules":{".read":true}}//\u0000'],
  ['a zero byte in a string', '{"rules":{".read":"true /*\u0000*/"}}'],
  ['a mark of the byte order within', '{"rules":{".read":"true // \uFEFF"}}'],
  ['characters beyond the first plane', '{"rules":{"😀":{".read":"\'😀\'.length == 2"}}}'],
  ['names of prototypes', '{"rules":{"__proto__":{".read":true},"constructor":{".read":false}}}'],
])('a file with %s is kept to the letter', async (_, source) => {
  await using dir = await tempDir()
  const file = dir.file('tree.sqlite')
  const before = await openTestDatabase({ file })
  await before.setRules(source)
  await before.close()
  const after = await openTestTree({ file })
  expect(after.rules).toBe(source)
  const { strictRules } = after.administration
  expect(parseRules(strictRules).strict).toBe(strictRules)
  await after.close()
})

/** A file of patterns, each as large as one may be. */
function manyPatterns(number: number): string {
  const rules = Array.from({ length: number }, (_, index) => [
    `k${index}`,
    { '.read': `auth.uid.matches(/(.{30}){15}${index}/)` },
  ])
  return JSON.stringify({ rules: Object.fromEntries(rules) })
}

test('patterns are bounded all together: no file holds the loop while it is read, or fills the memory', () => {
  expect(refusalOf(manyPatterns(2_000))).toBe('bad-rules')
})

function refusalOf(source: string): string | undefined {
  try {
    parseRules(source)
    return undefined
  } catch (error) {
    return error instanceof DholeError ? error.code : String(error)
  }
}
