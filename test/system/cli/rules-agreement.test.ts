import { expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Attempt } from '../../../src/cli/rules/attempt.ts'
import { decideAttempt } from '../../../src/cli/rules/decide-attempt.ts'
import { offlineTree } from '../../../src/cli/rules/offline-tree.ts'
import { RuleCache } from '../../../src/database/access/rule-cache.ts'
import type { Database } from '../../../src/database/database.ts'
import type { Ruling } from '../../../src/database/writes/attempt.ts'
import { DholeError } from '../../../src/error.ts'
import { openTree } from '../../../src/open-tree.ts'
import { tempDir } from '../../support/temp-dir.ts'

/** Rules that look at all there is to look at. */
const RULES = `{"rules": {
  ".read": "auth.uid === 'root'",
  "$a": {
    ".read": "data.child('b').exists() && auth !== null && query.limitToFirst !== 2 || data.isBoolean() || data.isNumber()",
    ".write": "newData.exists() && auth.uid === $a || data.hasChildren() && !newData.hasChildren()",
    ".validate": "newData.child('0').val() !== 1 && newData.getPriority() !== 2 && root.child('b').val() !== 'x'",
    "$b": {
      ".read": "data.isNumber() || query.orderByChild === 'a' || query.startAt === 'b' || query.equalTo === 'a'",
      ".write": "data.getPriority() === newData.getPriority() || newData.val() === now || newData.val() > data.val()",
      ".validate": "newData.isNumber() || newData.hasChildren() || newData.parent().getPriority() !== null",
      "0": {".read": "query.orderByPriority || query.orderByValue && query.limitToLast === 1"}
    },
    "b": {".read": "data.parent().getPriority() === 1 || query.orderByKey && query.endAt === 'b'", ".write": true}
  }
}}`

const key = fc.constantFrom('a', 'b', '0', '1')
const leaf = fc.constantFrom<unknown[]>(true, false, 0, 1, 2, 'x', 'y', '')
const priority = fc.constantFrom<unknown[]>(1, 2, 'p')
const serverValue = fc.constantFrom<unknown[]>({ '.sv': 'timestamp' }, { '.sv': { increment: 1 } })

/** JSON as people send it. */
const json = fc.letrec<{ node: unknown }>((tie) => ({
  node: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    leaf,
    fc.constant(null),
    fc.record({ '.value': leaf, '.priority': priority }),
    fc.array(tie('node'), { maxLength: 3 }),
    fc.dictionary(key, tie('node'), { maxKeys: 3 }),
    fc
      .tuple(fc.dictionary(key, tie('node'), { maxKeys: 3 }), priority)
      .map(([node, own]) => ({ ...node, '.priority': own })),
  ),
})).node
const payload = fc.oneof({ weight: 5, arbitrary: json }, { weight: 1, arbitrary: serverValue })

const node = fc.array(key, { maxLength: 3 }).map((keys) => `/${keys.join('/')}`)
const path = fc.oneof(
  { weight: 9, arbitrary: node },
  { weight: 1, arbitrary: node.map((above) => `${above}/.priority`) },
)
const auth = fc.constantFrom<Attempt['auth'][]>(null, {}, { uid: 'a' }, { uid: 'b' }, { uid: 'root' })
const query = fc.constantFrom<NonNullable<Attempt['query']>[]>(
  { orderBy: '$key' },
  { orderBy: '$key', endAt: 'b' },
  { orderBy: '$key', equalTo: 'a' },
  { orderBy: '$key', startAt: 'a', endAt: 'a' },
  { orderBy: 'a', limitToFirst: 2 },
  { orderBy: 'a/b', startAt: 'b' },
  { orderBy: '$value', limitToLast: 1 },
  { orderBy: '$priority' },
)
const who = { auth, path }
const attempt = fc.oneof(
  fc.record({ ...who, operation: fc.constant('read' as const) }),
  fc.record({ ...who, operation: fc.constant('read' as const), query }),
  fc.record({ ...who, operation: fc.constant('put' as const), data: payload }),
  fc.record({ ...who, operation: fc.constant('post' as const), data: payload }),
  fc.record({
    ...who,
    operation: fc.constant('patch' as const),
    data: fc.dictionary(fc.oneof(key, path), payload, { maxKeys: 3 }),
  }),
  fc.record({ ...who, operation: fc.constant('delete' as const) }),
)

/** What is said offline, or why nothing is. */
function offline(tree: unknown, tried: Attempt): Ruling | string {
  try {
    return decideAttempt({ ruleCache: new RuleCache(RULES), tree: offlineTree(tree), now: Date.now() }, tried)
  } catch (error) {
    return error instanceof Error ? error.message.replace(/^(data|path|query): /, '') : String(error)
  }
}

/** What the rules of a database said, or why they were not asked. */
async function online(database: Database, tried: Attempt): Promise<Ruling | string> {
  const trace: string[] = []
  const onTrace = (lines: readonly string[]) => trace.push(...lines)
  try {
    await send(database, tried, onTrace)
    return { allowed: true, trace }
  } catch (error) {
    if (!(error instanceof DholeError)) throw error
    return error.code === 'permission-denied' ? { allowed: false, trace } : error.message
  }
}

function send(
  database: Database,
  { auth, path, operation, data, query }: Attempt,
  onTrace: (lines: readonly string[]) => void,
): Promise<unknown> {
  const options = { as: { kind: 'user', auth }, onTrace } as const
  switch (operation) {
    case 'read':
      return Promise.resolve(query ? database.select(path, query, options) : database.node(path, options))
    case 'put':
      return database.put(path, data, options)
    case 'patch':
      return database.patch(path, data, options)
    case 'post':
      return database.post(path, data, options)
    case 'delete':
      return database.delete(path, options)
    default:
      return operation satisfies never
  }
}

/** A read that took its time is judged twice, and a generated key is another one each time. */
function comparable(ruling: Ruling | string): unknown {
  if (typeof ruling === 'string') return ruling
  const lines = ruling.trace.map((line) => line.replace(/\/-[-\w]{19}/, '/KEY'))
  return { allowed: ruling.allowed, trace: [...new Set(lines)] }
}

test('offline and in a database the rules say the same', async () => {
  await using dir = await tempDir()
  await using database = openTree({ file: dir.file('tree.sqlite') })
  await database.setRules(RULES)
  const seen = { allowed: 0, denied: 0, refused: 0 }
  await fc.assert(
    fc.asyncProperty(json, fc.array(attempt, { minLength: 1, maxLength: 12 }), async (tree, attempts) => {
      for (const tried of attempts) {
        await database.put('/', tree)
        const said = offline(tree, tried)
        seen[typeof said === 'string' ? 'refused' : said.allowed ? 'allowed' : 'denied']++
        const wanted = await online(database, tried)
        if (typeof wanted !== 'string' && wanted.allowed && wanted.trace.length === 0) {
          expect(said).toMatchObject({ allowed: true })
        } else expect(comparable(said)).toEqual(comparable(wanted))
      }
    }),
    { numRuns: 120 },
  )
  // Where all is denied nothing is shown.
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(20)
})
