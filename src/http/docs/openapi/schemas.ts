import type { ElysiaSwaggerConfig } from '@elysiajs/swagger/types'
import { KindGuard, type TSchema, Type } from '@sinclair/typebox'
import { identityBodies } from '../../identity/schemas.ts'
import { smsBodies } from '../../sms/schemas.ts'
import { parameterSchema } from '../../url/parameters.ts'

type Present<T> = NonNullable<T>
type Inline<T> = Exclude<Present<T>, { readonly $ref: string }>

/** The parts of an OpenAPI 3.0 document, named as the specification names them. */
export type Documentation = Present<ElysiaSwaggerConfig['documentation']>
export type PathsObject = Present<Documentation['paths']>
export type PathItemObject = Present<PathsObject[string]>
export type OperationObject = Present<PathItemObject['get']>
export type ParameterObject = Inline<Present<OperationObject['parameters']>[number]>
export type ResponseObject = Inline<OperationObject['responses'][string]>
export type HeaderObject = Inline<Present<ResponseObject['headers']>[string]>
export type ExampleObject = Inline<Present<Present<Components['examples']>[string]>>
export type SchemaObject = Inline<Present<Components['schemas']>[string]>
export type SecuritySchemeObject = Inline<Present<Components['securitySchemes']>[string]>
type Components = Present<Documentation['components']>

const EXPRESSION = Type.Optional(Type.Union([Type.Boolean(), Type.String()]))
const INDEX = Type.Union([
  Type.String(),
  Type.Object({ child: Type.String(), covering: Type.Optional(Type.Boolean()) }, { additionalProperties: false }),
])
const PUSH_ID = '^[-0-9A-Z_a-z]{20}$'

/** What stands in bodies, by the name it has in the document. */
export const schemas = {
  Json: Type.Unknown({
    title: 'JSON',
    description:
      'Any JSON. Written: `null` and what is empty delete, arrays become objects with the keys `0`, `1` and so on, ' +
      '`.priority`, `.value` and `.sv` have their own meaning. Read: `null` where no node is, an array where more ' +
      'than half of the keys from 0 up are there.',
  }),
  Patch: Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()], {
    description:
      'Each key is a path below the node; its value is replaced, `null` deletes it. `null` alone deletes the node.',
  }),
  Name: Type.Object(
    { name: Type.String({ pattern: PUSH_ID, description: 'The generated key: later ones sort behind it.' }) },
    { additionalProperties: false },
  ),
  Priority: Type.Union([Type.String(), Type.Number(), Type.Null()], { description: '`null` is no priority.' }),
  PriorityWrite: Type.Union([
    Type.String(),
    Type.Number(),
    Type.Null(),
    Type.Object({ '.sv': Type.Union([Type.Literal('timestamp'), Type.Object({ increment: Type.Number() })]) }),
  ]),
  Null: Type.Null(),
  True: Type.Literal(true),
  Zero: Type.Literal(0),
  Script: Type.String({ description: 'A call of the function named by `callback`, the JSON its only argument.' }),
  Events: Type.String({
    description:
      'Events for as long as the client listens: `event: put`, `event: patch` or `event: keep-alive` on a line, ' +
      '`data: ` and one line of JSON on the next, then an empty line. `put` and `patch` have ' +
      '`{"path":"/…","data":…}`. At last, where the service ends it, `event: cancel` or `event: auth_revoked` with the ' +
      'reason as bare text.',
  }),
  Error: Type.Object(
    {
      errcode: Type.Integer({ description: 'Number of the error.' }),
      message: Type.String({ description: "Wilddog's text." }),
      error: Type.String({ description: "Firebase's text, or `message` where it has none." }),
    },
    { additionalProperties: false },
  ),
  Rules: Type.Object(
    {
      rules: Type.Object(
        {
          '.read': EXPRESSION,
          '.write': EXPRESSION,
          '.validate': EXPRESSION,
          '.indexOn': Type.Optional(Type.Union([INDEX, Type.Array(INDEX)])),
        },
        {
          additionalProperties: true,
          description:
            'The rules of the root: `true`, `false` or an expression each, and what its children are sorted by. ' +
            'Every other member is a key, or `$name` for each key that is not named, with the same below it.',
        },
      ),
    },
    {
      additionalProperties: false,
      description: 'JSON in which comments, and line breaks within strings, are allowed.',
    },
  ),
  Done: Type.Object({ status: Type.Literal('ok') }, { additionalProperties: false }),
  Unavailable: Type.Object(
    {
      status: Type.Literal('unavailable'),
      reason: Type.Union([Type.Literal('stopping'), Type.Literal('storage'), Type.Literal('slow')]),
    },
    { additionalProperties: false },
  ),
  Metrics: Type.String({ description: 'Lines of metrics in the text format of Prometheus.' }),
  WriteSize: Type.Union(parameterSchema.properties.writeSizeLimit.anyOf, {
    description: 'The longest time a write may be estimated to take: 1, 10, 30, 60 seconds, or any.',
  }),
  CustomToken: Type.Object({ token: Type.String({ description: 'A custom token.' }) }),
  IdToken: Type.Object(
    {
      idToken: Type.String({ description: 'To be shown in place of the custom token.' }),
      expireIn: Type.Integer({ minimum: 1, maximum: 3600, description: 'How long it is good, in seconds.' }),
    },
    { additionalProperties: false },
  ),
  TokenError: Type.Object(
    {
      error: Type.Object(
        {
          code: Type.String({ description: 'Number of the error, as a string.' }),
          errorMessage: Type.String({ description: "Wilddog's text." }),
        },
        { additionalProperties: false },
      ),
    },
    { additionalProperties: false },
  ),
  ...identityBodies,
  ...smsBodies,
} as const satisfies Readonly<Record<string, TSchema>>

export type SchemaName = keyof typeof schemas

/** An object with the same keys and other values. */
export function mapValues<T, U>(
  object: Readonly<Record<string, T>>,
  change: (value: T, key: string) => U,
): Record<string, U> {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value, key)]))
}

/** Points to one of `schemas`. */
export function schemaRef(name: SchemaName): { readonly $ref: string } {
  return { $ref: `#/components/schemas/${name}` }
}

/** A TypeBox schema in the words of OpenAPI 3.0, which knows neither `const` nor the type `null`. */
export function toOpenApi(schema: TSchema): SchemaObject {
  if (KindGuard.IsNull(schema)) return { ...schema, type: 'object', nullable: true, enum: [null] } as SchemaObject
  if (KindGuard.IsLiteral(schema)) {
    const { const: value, ...rest } = schema
    return { ...rest, enum: [value] } as SchemaObject
  }
  if (KindGuard.IsUnion(schema)) return union(schema.anyOf, schema)
  if (KindGuard.IsRecord(schema)) {
    const { patternProperties, ...rest } = schema
    return {
      ...rest,
      additionalProperties: toOpenApi(Object.values(patternProperties)[0] ?? Type.Unknown()),
    } as SchemaObject
  }
  if (KindGuard.IsObject(schema)) {
    return { ...schema, properties: mapValues(schema.properties, toOpenApi) } as SchemaObject
  }
  if (KindGuard.IsTuple(schema)) {
    const { items = [], additionalItems: _, ...rest } = schema
    return { ...rest, items: toOpenApi(Type.Union(items)) } as SchemaObject
  }
  if (KindGuard.IsArray(schema)) return { ...schema, items: toOpenApi(schema.items) } as SchemaObject
  return unsafe(schema)
}

/** A schema of `Type.Unsafe` has lost its kind. */
function unsafe(schema: TSchema): SchemaObject {
  if (Array.isArray(schema['anyOf'])) return union(schema['anyOf'] as TSchema[], schema)
  if (schema['type'] === 'array') return { ...schema, items: toOpenApi(schema['items'] as TSchema) } as SchemaObject
  if (schema['type'] === 'object' && schema['properties'] !== undefined) {
    return {
      ...schema,
      properties: mapValues(schema['properties'] as Record<string, TSchema>, toOpenApi),
    } as SchemaObject
  }
  return { ...schema } as SchemaObject
}

function union(members: readonly TSchema[], { anyOf: _, ...rest }: TSchema): SchemaObject {
  if (members.every((member) => KindGuard.IsLiteral(member))) {
    return { ...rest, type: typeof members[0]?.const, enum: members.map((member) => member.const) } as SchemaObject
  }
  const nullable = members.some((member) => KindGuard.IsNull(member))
  const others = members.filter((member) => !KindGuard.IsNull(member)).map(toOpenApi)
  const [only] = others
  if (only !== undefined && others.length === 1) return { ...only, ...rest, ...(nullable ? { nullable } : {}) }
  // OpenAPI 3.0 heeds `nullable` only beside a type.
  return { ...rest, anyOf: others.map((other) => (nullable ? { ...other, nullable } : other)) }
}
