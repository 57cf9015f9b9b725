import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { within } from '../terminal/within.ts'
import { type Attempt, attemptSchema, attemptText, checkAttempt } from './attempt.ts'
import { type OfflineTree, offlineTree } from './offline-tree.ts'

/** One row of a table of cases. */
const caseSchema = Type.Object(
  {
    ...attemptSchema.properties,
    name: Type.Optional(Type.String({ description: 'a string' })),
    given: Type.Optional(Type.Unknown()),
    expect: Type.Union([Type.Literal('allow'), Type.Literal('deny')], { description: '"allow" or "deny"' }),
  },
  { additionalProperties: false, description: 'an object' },
)

const tableSchema = Type.Object(
  { data: Type.Optional(Type.Unknown()), cases: Type.Array(Type.Unknown(), { minItems: 1 }) },
  { additionalProperties: false },
)

/** A checked row, and its initial tree. */
export interface Case {
  /** `case 3`, counted from 1. */
  readonly title: string
  readonly name: string
  readonly attempt: Attempt
  readonly tree: OfflineTree
  readonly expect: 'allow' | 'deny'
}

/** Reads a table. @throws Error that names the case and its member */
export function parseCases(json: unknown): readonly Case[] {
  const { data, cases } = tableOf(Array.isArray(json) ? { cases: json } : json)
  const tree = treeOf('data', data ?? null)
  return cases.map((row, index) => within(titleOf(row, index), () => caseOf(row, index, tree)))
}

function tableOf(json: unknown): Static<typeof tableSchema> {
  if (Value.Check(tableSchema, json)) return json
  throw new Error('expected {"data": …, "cases": […]} or a list of cases, with at least one case')
}

function caseOf(row: unknown, index: number, tree: OfflineTree): Case {
  checkAttempt(caseSchema, row)
  const { name, given, expect, ...attempt } = row
  return {
    title: titleOf(row, index),
    name: name ?? attemptText(attempt),
    attempt,
    tree: Object.hasOwn(row, 'given') ? treeOf('given', given) : tree,
    expect,
  }
}

function titleOf(row: unknown, index: number): string {
  const isNamed = typeof row === 'object' && row !== null && 'name' in row && typeof row.name === 'string'
  return `case ${index + 1}${isNamed ? ` ${JSON.stringify(row.name)}` : ''}`
}

function treeOf(member: string, json: unknown): OfflineTree {
  return within(member, () => offlineTree(json))
}
