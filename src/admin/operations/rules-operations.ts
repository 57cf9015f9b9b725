import { Type } from '@sinclair/typebox'
import { onApplication, valueOperation } from '../operation.ts'
import { checkedRules, rulesProblem } from '../rules/check.ts'
import { attempt, explained, ruling } from '../rules/explain.ts'
import { id, nothing } from './nothing.ts'
import { type RulesVersion, rulesVersion } from './storage-schemas.ts'

/** Longest input with rules over HTTPS, in bytes: rules of the greatest length, and the escapes of their JSON. */
const MAX_RULES_BYTES = 8 * 1024 * 1024

/** Operations on rules. */
export const RULES_OPERATIONS = {
  'tree-rules': onApplication(
    {
      access: 'application',
      summary: 'The source of the rules in force.',
      input: Type.Object({ id }),
      result: Type.String(),
    },
    async ({ database }) => {
      await database.fresh()
      return database.rules
    },
  ),
  'tree-set-rules': onApplication(
    {
      access: 'application',
      changes: true,
      summary: 'Replaces the rules, all or nothing.',
      input: Type.Object({
        id,
        source: Type.String(),
        /** Source of the rules that are to be replaced. Others than these stay: an error. */
        expected: Type.Optional(Type.String()),
      }),
      maxInputBytes: MAX_RULES_BYTES,
      result: nothing,
    },
    ({ database }, { source, expected }, { role }) => database.setRules(source, role, expected),
  ),
  'rules-history': onApplication(
    {
      access: 'application',
      summary: 'The rules that were stored, newest first: at most 50 versions, and 1 MiB of them.',
      input: Type.Object({ id }),
      result: Type.Unsafe<readonly RulesVersion[]>(Type.Array(rulesVersion)),
    },
    ({ database }) => database.administration.rulesHistory(),
  ),
  'rules-check': valueOperation(
    {
      access: 'any',
      summary: 'What is wrong with the source of rules; nothing where a server would accept it.',
      input: Type.Object({ source: Type.String() }),
      maxInputBytes: MAX_RULES_BYTES,
      result: Type.Object({ problems: Type.Array(rulesProblem) }),
    },
    (_, { source }) => checkedRules(source),
  ),
  'rules-explain': onApplication(
    {
      access: 'application',
      summary: 'What rules decide about a request on the tree as it is, and which of them decide. Writes nothing.',
      input: attempt,
      maxInputBytes: MAX_RULES_BYTES,
      result: ruling,
    },
    ({ database }, given) => explained(database, given),
  ),
} as const
