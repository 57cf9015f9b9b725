import { expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Leaf, Value } from '../../../src/tree/value.ts'
import { judge, pathOf } from './driver.ts'

/** A tree made by doing what the writes say, to compare what rules see of `newData` with. */
interface ModelNode {
  leaf: Leaf | undefined
  priority: string | number | undefined
  readonly children: Map<string, ModelNode>
}

type Writes = Record<string, Value | null>

function emptyNode(): ModelNode {
  return { leaf: undefined, priority: undefined, children: new Map() }
}

function nodeOf(value: Value): ModelNode {
  const node = emptyNode()
  if (typeof value !== 'object') node.leaf = value
  else {
    for (const [key, member] of Object.entries(value)) {
      if (key === '.priority') node.priority = member as string | number
      else if (key === '.value') node.leaf = member as Leaf
      else node.children.set(key, nodeOf(member))
    }
  }
  return node
}

/** What is set first, then what is deleted, then priorities. */
function apply(root: ModelNode, writes: Writes): ModelNode {
  let result = root
  const entries = Object.entries(writes).map(([text, value]) => ({ path: pathOf(text), value }))
  const values = entries.filter(({ path }) => path.at(-1) !== '.priority')
  for (const { path, value } of values) if (value !== null) result = set(result, path, nodeOf(value))
  for (const { path, value } of values) if (value === null) result = remove(result, path)
  for (const { path, value } of entries) {
    if (path.at(-1) !== '.priority') continue
    const node = find(result, path.slice(0, -1))
    if (node && isThere(node)) node.priority = (value as string | number | null) ?? undefined
  }
  return result
}

function set(node: ModelNode, [key, ...rest]: readonly string[], value: ModelNode): ModelNode {
  if (key === undefined) return value
  node.leaf = undefined
  node.children.set(key, set(node.children.get(key) ?? emptyNode(), rest, value))
  return node
}

function remove(node: ModelNode, [key, ...rest]: readonly string[]): ModelNode {
  if (key === undefined) return emptyNode()
  const child = node.children.get(key)
  if (child === undefined) return node
  const left = remove(child, rest)
  if (isThere(left)) return node
  node.children.delete(key)
  return isThere(node) ? node : emptyNode()
}

function find(root: ModelNode, path: readonly string[]): ModelNode | undefined {
  let node: ModelNode | undefined = root
  for (const key of path) node = node?.children.get(key)
  return node
}

function isThere(node: ModelNode): boolean {
  return node.leaf !== undefined || node.children.size > 0
}

const KEYS = ['a', 'b']
const PLACES = placesBelow('', 3)

function placesBelow(place: string, depth: number): string[] {
  return [place, ...(depth === 0 ? [] : KEYS.flatMap((key) => placesBelow(`${place}/${key}`, depth - 1)))]
}

const leaf = fc.constantFrom<Leaf>(1, 2, 'x', true, false, '')
const priority = fc.constantFrom(1, 'p')
const withPriority = fc.option(priority, { freq: 3, nil: undefined })

function valueOfDepth(depth: number): fc.Arbitrary<Value> {
  const leaves = fc.oneof(
    { weight: 3, arbitrary: leaf },
    fc.record({ '.value': leaf, '.priority': priority }) as fc.Arbitrary<Value>,
  )
  if (depth === 0) return leaves
  const child = fc.option(valueOfDepth(depth - 1), { nil: undefined })
  const branch = fc
    .record({ a: child, b: child, '.priority': withPriority })
    .filter(({ a, b }) => a !== undefined || b !== undefined)
    .map((members) => JSON.parse(JSON.stringify(members)) as Value)
  return fc.oneof(leaves, { weight: 2, arbitrary: branch })
}

const place = fc.constantFrom(...PLACES)
const write = fc.oneof(
  fc.tuple(place, valueOfDepth(2)),
  { weight: 2, arbitrary: fc.tuple(place, fc.constant(null)) },
  fc.tuple(
    place.map((path) => `${path}/.priority`),
    fc.option(priority, { nil: null }),
  ),
)
const writes: fc.Arbitrary<Writes> = fc.array(write, { minLength: 1, maxLength: 5 }).map((all) => {
  const kept: [string, Value | null][] = []
  for (const [path, value] of all) if (kept.every(([other]) => !overlap(path, other))) kept.push([path, value])
  return Object.fromEntries(kept)
})

function overlap(left: string, right: string): boolean {
  return `${left}/`.startsWith(`${right}/`) || `${right}/`.startsWith(`${left}/`)
}

/** An expression that is true when `newData` is what the model has there. */
function claim(root: ModelNode, path: string): string {
  const place = `newData.child('${path}')`
  const node = find(root, pathOf(path))
  if (!node || !isThere(node)) {
    return `!${place}.exists() && ${place}.val() == null && !${place}.hasChildren() && ${place}.getPriority() == null`
  }
  const priorityThere = `${place}.getPriority() == ${JSON.stringify(node.priority ?? null)}`
  if (node.leaf === undefined)
    return `${place}.hasChildren() && ${place}.val() != null && !${place}.isNumber() && ${priorityThere}`
  return `${place}.exists() && !${place}.hasChildren() && ${place}.val() == ${JSON.stringify(node.leaf)} && ${priorityThere}`
}

test('newData is what the writes leave behind', () => {
  expect(PLACES).toHaveLength(15)
  fc.assert(
    fc.property(fc.option(valueOfDepth(3), { nil: undefined }), writes, (before, changes) => {
      const after = apply(before === undefined ? emptyNode() : nodeOf(before), changes)
      const rules = { '.write': PLACES.map((path) => claim(after, path)).join(' && ') }
      const { allowed, trace } = judge(JSON.stringify({ rules }), { before, writes: changes })
      const wrong = allowed
        ? []
        : PLACES.map((path) => claim(after, path)).filter((each) => !isTrue(each, before, changes))
      expect({ allowed, wrong, trace: allowed ? [] : trace }).toEqual({ allowed: true, wrong: [], trace: [] })
    }),
    { numRuns: 1500 },
  )
})

function isTrue(expression: string, before: Value | undefined, changes: Writes): boolean {
  return judge(JSON.stringify({ rules: { '.write': expression } }), { before, writes: changes }).allowed
}

/** Each way to ask about a list of which all but one of its children are deleted. */
const MANY = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`/list/x${index}`, null]))
const KEPT = { list: Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`x${index + 1}`, 1])) }

test.each(["child('list').exists()", "child('list').hasChildren()", "hasChild('list')", "child('list').val() != null"])(
  'newData.%s looks at what is deleted once, whatever rule asks',
  (question) => {
    const rules = {
      '.write': `newData.${question}`,
      out: { $k: { '.validate': `newData.parent().parent().${question}` } },
    }
    const written = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`/out/o${index}`, 1]))
    const { allowed, reads } = judge(JSON.stringify({ rules }), { before: KEPT, writes: { ...MANY, ...written } })
    expect(allowed).toBe(true)
    expect(reads).toBeLessThan(1_000)
  },
)

test('finding out whether there is something to validate lets others run', () => {
  const rules = { '.write': true, '.validate': "newData.child('list').exists()", list: { '.validate': false } }
  const none = Object.fromEntries(Array.from({ length: 301 }, (_, index) => [`/list/x${index}`, null]))
  expect(judge(JSON.stringify({ rules }), { before: KEPT, writes: none })).toMatchObject({
    allowed: true,
    trace: ['/ .write: "true" is true'],
  })
  const verdict = judge(JSON.stringify({ rules }), { before: KEPT, writes: MANY })
  expect(verdict.allowed).toBe(false)
  expect(verdict.pauses).toBeGreaterThan(0)
})

test('data is what was there before', () => {
  fc.assert(
    fc.property(valueOfDepth(3), writes, (before, changes) => {
      const model = nodeOf(before)
      const expression = PLACES.map((path) => claim(model, path).replaceAll('newData', 'data')).join(' && ')
      expect(isTrue(expression, before, changes)).toBe(true)
    }),
    { numRuns: 500 },
  )
})

test('every .validate is asked that a walk of the whole new state would find', () => {
  fc.assert(
    fc.property(fc.option(valueOfDepth(3), { nil: undefined }), writes, (before, changes) => {
      const after = apply(before === undefined ? emptyNode() : nodeOf(before), changes)
      const rules = { '.write': true, ...allValidate(3) }
      const { trace } = judge(JSON.stringify({ rules }), { before, writes: changes })
      const asked = trace.filter((line) => line.includes('.validate')).map((line) => line.split(' ')[0] ?? '')
      const expected = PLACES.filter(
        (path) => isConcerned(path, changes) && isThere(find(after, pathOf(path)) ?? emptyNode()),
      )
      expect(asked.toSorted()).toEqual(expected.map((path) => path || '/').toSorted())
    }),
    { numRuns: 1000 },
  )
})

function allValidate(depth: number): object {
  const node = { '.validate': true }
  return depth === 0 ? node : { ...node, a: allValidate(depth - 1), b: allValidate(depth - 1) }
}

/** Whether a path is on the way to a write, or at or below a value that is set. */
function isConcerned(path: string, changes: Writes): boolean {
  return Object.entries(changes).some(([text, value]) => {
    const target = text.replace(/\/\.priority$/, '')
    if (`${target}/`.startsWith(`${path}/`)) return true
    return target === text && value !== null && `${path}/`.startsWith(`${target}/`)
  })
}
