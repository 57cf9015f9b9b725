import { type Static, Type } from '@sinclair/typebox'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { DholeError } from '../../error.ts'

const CALLBACK_NAME = '^[A-Za-z_$][0-9A-Za-z_$]*(\\.[A-Za-z_$][0-9A-Za-z_$]*|\\[[0-9]+\\])*$'
const CALLBACK_PATTERN = new RegExp(CALLBACK_NAME)
const MAX_CALLBACK_LENGTH = 128
const MAX_TIMEOUT_MS = 15 * 60 * 1000
const FLAG = Type.Union([Type.Literal('true'), Type.Literal('false')])

/**
 * Parameters that filter the children of a list, as sent. The query parser checks their values.
 * @see docs/reference/protocol.md#queries
 */
const filterSchemas = {
  orderBy: Type.Optional(
    Type.String({
      description:
        'GET: sorts the children by a child path, `$key`, `$value` or `$priority`. A JSON string: the quotes belong to ' +
        'it. The other filters need it, unless there is `shallow=true`.',
    }),
  ),
  startAt: Type.Optional(
    Type.String({
      description:
        'GET: children from this value on. A JSON string, number, boolean or `null`; or one of these, a comma and a ' +
        'key as JSON string, which decides among children of that value: `5,"k3"`.',
    }),
  ),
  startAfter: Type.Optional(
    Type.String({
      description:
        'GET: children behind this value; written as `startAt`. With the value and key of the last child of a page it ' +
        'begins the next one.',
    }),
  ),
  endAt: Type.Optional(Type.String({ description: 'GET: children up to this value; written as `startAt`.' })),
  endBefore: Type.Optional(Type.String({ description: 'GET: children before this value; written as `startAt`.' })),
  equalTo: Type.Optional(
    Type.String({ description: 'GET: children of exactly this value; written as `startAt`, and with no other bound.' }),
  ),
  limitToFirst: Type.Optional(
    Type.String({ description: 'GET: at most this many children, from the first. A whole number from 1.' }),
  ),
  limitToLast: Type.Optional(
    Type.String({ description: 'GET: at most this many children, up to the last, in ascending order.' }),
  ),
}

/** Parameters of the data endpoints, as they stand in the URL. Others are ignored. @see docs/reference/protocol.md#parameters */
export const parameterSchema = Type.Object({
  print: Type.Optional(
    Type.Union([Type.Literal('pretty'), Type.Literal('silent')], {
      description: '`pretty`: indented answer. `silent`: 204 without a body.',
    }),
  ),
  auth: Type.Optional(Type.String({ description: 'Credential: the super secret of the application, or a token.' })),
  access_token: Type.Optional(Type.String({ description: 'The same as `auth`.' })),
  auth_variable_override: Type.Optional(
    Type.String({
      description:
        'With the credential of an administrator: has the rules decide as for this `auth`, a JSON object or `null`.',
    }),
  ),
  app: Type.Optional(Type.String({ description: 'Name of the application.' })),
  ns: Type.Optional(
    Type.String({
      description: "Name of the application as Firebase's clients send it; the answer is then as they expect it.",
    }),
  ),
  ...filterSchemas,
  shallow: Type.Optional({
    ...FLAG,
    description: 'GET: only the keys of the children, each with `true`; filters but `orderBy` choose some.',
  }),
  count: Type.Optional({
    ...FLAG,
    description: 'GET: only the number of children, or of those that are chosen; not with a limit.',
  }),
  format: Type.Optional(Type.Literal('export', { description: 'GET: with priorities, without arrays.' })),
  callback: Type.Optional(
    Type.String({
      pattern: CALLBACK_NAME,
      maxLength: MAX_CALLBACK_LENGTH,
      description: 'GET: the answer as a call of this function (JSONP).',
    }),
  ),
  download: Type.Optional(Type.String({ description: 'GET: the answer as a file of this name.' })),
  sv: Type.Optional(Type.String({ description: 'GET: `timestamp` answers the time of the server, reads no data.' })),
  timeout: Type.Optional(
    Type.String({
      pattern: '^[0-9]+(\\.[0-9]+)?(ms|s|min)$',
      description: 'GET: longest time for the read, such as `500ms`, `3s`, `1min`; at most 15 minutes.',
    }),
  ),
  writeSizeLimit: Type.Optional(
    Type.Union(
      ['tiny', 'small', 'medium', 'large', 'unlimited'].map((size) => Type.Literal(size)),
      { description: 'Writes: refuse a write estimated to take longer than 1, 10, 30, 60 seconds.' },
    ),
  ),
  readSizeLimit: Type.Optional(
    Type.Literal('unlimited', {
      description:
        'GET with `format=export`, by an administrator: the node whatever its size, piece by piece and of one moment. ' +
        'Goes with `download`, and with nothing else that changes the answer.',
    }),
  ),
  resume: Type.Optional({
    ...FLAG,
    description: 'Streams: each event has its number (`id:`), which a client that reconnects sends as `Last-Event-ID`.',
  }),
  'x-http-method-override': Type.Optional(
    Type.String({ description: 'POST: the method meant. The header `X-HTTP-Method-Override` wins.' }),
  ),
})

/** Parameters of the endpoints below `/.settings`. @see docs/reference/protocol.md#rules */
export const settingsParameterSchema = Type.Object({
  print: parameterSchema.properties.print,
  format: Type.Optional(
    Type.Union([Type.Literal('strict'), Type.Literal('export')], {
      description: 'GET of the rules: `strict` answers valid JSON, without comments.',
    }),
  ),
  dryRun: Type.Optional({ ...FLAG, description: 'PUT of the rules: `true` only checks them.' }),
})

const checker = TypeCompiler.Compile(parameterSchema)
const settingsChecker = TypeCompiler.Compile(settingsParameterSchema)

/** Parameters that choose children of a list. */
const FILTERS: ReadonlySet<string> = new Set(Object.keys(filterSchemas))

const KNOWN: ReadonlySet<string> = new Set(
  [parameterSchema, settingsParameterSchema].flatMap(({ properties }) => Object.keys(properties)),
)
const OVERRIDE = 'x-http-method-override'

/** Parameters as sent. */
export interface RawParameters {
  /** The known ones by name, the first value of each. */
  readonly values: Readonly<Record<string, string>>
  /** The first known one that was given twice: an error, but one that others go before. */
  readonly repeated: string | undefined
  /** Whether there is any that chooses children. */
  readonly filters: boolean
}

const NO_RAW_PARAMETERS: RawParameters = Object.freeze({
  values: Object.freeze(Object.create(null)),
  repeated: undefined,
  filters: false,
})

/** A form that needs decoding. `URLSearchParams` drops a leading question mark. */
const WRITTEN_OTHERWISE = /^\?|[%+]/

/** Calls `use` with names and values of a form. Most need no decoding, and splitting those here is much cheaper. */
function eachMember(search: string, use: (name: string, value: string) => void): void {
  if (WRITTEN_OTHERWISE.test(search)) {
    for (const [name, value] of new URLSearchParams(search)) use(name, value)
    return
  }
  for (let start = 0; start < search.length; ) {
    const ampersand = search.indexOf('&', start)
    const end = ampersand === -1 ? search.length : ampersand
    const sign = search.indexOf('=', start)
    const equals = sign === -1 || sign > end ? end : sign
    if (end > start) use(search.slice(start, equals), search.slice(equals + 1, end))
    start = end + 1
  }
}

/** The parameter of that name; that of the method is known in any case. */
function knownName(name: string): string | undefined {
  if (KNOWN.has(name)) return name
  return name.toLowerCase() === OVERRIDE ? OVERRIDE : undefined
}

/** Decodes a query string as a form (`+` is a space). */
export function decodeParameters(search: string): RawParameters {
  if (search === '') return NO_RAW_PARAMETERS
  const values: Record<string, string> = Object.create(null)
  let repeated: string | undefined
  let filters = false
  eachMember(search, (name, value) => {
    const known = knownName(name)
    if (known === undefined) return
    if (FILTERS.has(known)) filters = true
    if (known in values) repeated ??= known
    else values[known] = value
  })
  return { values, repeated, filters }
}

/** Parameters that have passed the schema. */
export type Parameters = Static<typeof parameterSchema>

/** What a URL without a query string has. */
export const NO_PARAMETERS: Parameters = Object.freeze({})

/** @throws `bad-parameter`, `bad-server-value`, `bad-order` */
export function checkParameters(raw: RawParameters): Parameters {
  if (raw === NO_RAW_PARAMETERS) return NO_PARAMETERS
  const { values, repeated } = raw
  if (repeated !== undefined && FILTERS.has(repeated)) throw new DholeError('bad-order')
  if (repeated !== undefined || !checker.Check(values)) throw new DholeError('bad-parameter')
  if (values.sv !== undefined && values.sv !== 'timestamp') throw new DholeError('bad-server-value')
  return values
}

/** `3s` in milliseconds. @throws `bad-parameter` unless above zero and at most 15 minutes */
export function parseTimeout(text: string): number {
  const unit = text.endsWith('ms') ? 1 : text.endsWith('s') ? 1000 : 60_000
  const milliseconds = Number.parseFloat(text) * unit
  if (milliseconds <= 0 || milliseconds > MAX_TIMEOUT_MS) throw new DholeError('bad-parameter')
  return milliseconds
}

/** Whether a name may stand in front of a parenthesis. */
export function isCallbackName(name: string): boolean {
  return name.length <= MAX_CALLBACK_LENGTH && CALLBACK_PATTERN.test(name)
}

/** Parameters of a settings endpoint that have passed the schema. */
export type SettingsParameters = Static<typeof settingsParameterSchema>

/** @throws `bad-parameter` */
export function checkSettingsParameters({ values, repeated }: RawParameters): SettingsParameters {
  if (repeated !== undefined || !settingsChecker.Check(values)) throw new DholeError('bad-parameter')
  return values
}
