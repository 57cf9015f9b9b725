import { KindGuard, type TObject, type TSchema, Type } from '@sinclair/typebox'
import type { StreamOperation, ValueOperation } from '../../src/admin/operation.ts'
import { OPERATIONS } from '../../src/admin/operations.ts'
import { tableOf } from './page-block.ts'

/** The table of docs/reference/admin-api.md: the operations that HTTPS offers. */
export function adminOperationsBlock(): string {
  const table: Readonly<Record<string, ValueOperation | StreamOperation>> = OPERATIONS
  const rows = Object.entries(table)
    .filter(([, { access }]) => access !== 'local')
    .map(([name, operation]) => [
      `\`${name}\``,
      operation.access === 'operator'
        ? 'operator'
        : operation.access === 'any'
          ? 'any session'
          : 'operator, application',
      operation.summary,
      code(typeOf(operation.input)),
      operation.kind === 'stream' ? 'the text itself' : code(typeOf(operation.result)),
    ])
  return `\n${tableOf(['operation', 'who may', 'what it does', 'input', 'result'], rows)}\n\n`
}

function code(text: string): string {
  return `\`${text.replaceAll('|', '\\|')}\``
}

/** A schema as TypeScript writes the type. */
function typeOf(schema: TSchema): string {
  if (KindGuard.IsLiteral(schema)) return JSON.stringify(schema.const)
  if (KindGuard.IsTuple(schema)) return `[${(schema.items ?? []).map(typeOf).join(', ')}]`
  if (KindGuard.IsRecord(schema)) {
    return `{[name]: ${typeOf(Object.values(schema.patternProperties)[0] ?? Type.Unknown())}}`
  }
  // A schema of `Type.Unsafe` has no kind but its form.
  if (Array.isArray(schema['anyOf'])) return schema['anyOf'].map((member: TSchema) => typeOf(member)).join(' | ')
  if (schema['type'] === 'object' && schema['properties'] !== undefined) return objectOf(schema as TObject)
  if (schema['type'] === 'array') {
    const item = typeOf(schema['items'] as TSchema)
    return item.includes(' | ') ? `(${item})[]` : `${item}[]`
  }
  if (schema['type'] === 'integer') return 'number'
  return typeof schema['type'] === 'string' ? schema['type'] : 'any'
}

function objectOf({ properties, required = [] }: TObject): string {
  const members = Object.entries(properties as Record<string, TSchema>)
  return `{${members.map(([name, schema]) => `${name}${required.includes(name) ? '' : '?'}: ${typeOf(schema)}`).join(', ')}}`
}
