import type { Statements } from '../../../src/store/postgres/connection/lane.ts'
import { parseStored } from '../../../src/tree/json/print.ts'
import { keyOf } from '../../../src/tree/order.ts'
import { emptyBranch, type Value } from '../../../src/tree/value.ts'

interface Row {
  readonly parent: number
  readonly key: string
  readonly value: string | null
  readonly id: number | null
}

/** The value of a whole tree, from its rows; `undefined` for an empty one. @throws Error when rows contradict each other */
export async function valueInRows(statements: Statements, tree: number): Promise<Value | undefined> {
  const rows = await statements.query<Row>(
    'SELECT n.parent_id::float8 AS parent, n.key, n.value, n.id::float8 AS id FROM node n WHERE n.tree = $1::int ORDER BY n.parent_id, n.key',
    [tree],
  )
  const interiors = await statements.query<{ id: number; parent: number; key: string; children: number }>(
    'SELECT id::float8 AS id, parent_id::float8 AS parent, key, child_count AS children FROM interior WHERE tree = $1::int',
    [tree],
  )
  const closure = await statements.query<{ ancestor: number; descendant: number; depth: number }>(
    'SELECT ancestor::float8 AS ancestor, descendant::float8 AS descendant, depth::int AS depth FROM closure WHERE tree = $1::int',
    [tree],
  )
  const children = Map.groupBy(rows, ({ parent }) => parent)
  const byId = new Map(interiors.map((interior) => [interior.id, interior]))
  const above = new Map(closure.map(({ ancestor, descendant, depth }) => [`${ancestor} ${descendant}`, depth]))
  const [root] = children.get(0) ?? []
  return root === undefined ? undefined : nodeOf(root, [])

  function nodeOf({ parent, key, value, id }: Row, ancestors: readonly number[]): Value {
    if (id === null) return parseStored(value ?? '')
    const interior = byId.get(id)
    if (interior === undefined || interior.parent !== parent || interior.key !== key) throw new Error(`interior ${id}`)
    const chain = [id, ...ancestors]
    for (const [depth, each] of chain.entries()) {
      if (above.get(`${each} ${id}`) !== depth) throw new Error(`closure of ${id} at ${each}`)
    }
    const branch = emptyBranch()
    const below = children.get(id) ?? []
    for (const child of below) branch[keyOf(child.key)] = nodeOf(child, chain)
    const count = below.filter(({ key }) => key !== '.priority').length
    if (count !== interior.children) throw new Error(`interior ${id} counts ${interior.children}, has ${count}`)
    return branch
  }
}
