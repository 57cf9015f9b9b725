/** The file of results: `results/results.json`, and what `--json` writes. */
import { type Static, Type } from '@sinclair/typebox'
import { TypeCompiler } from '@sinclair/typebox/compiler'

const closed = { additionalProperties: false } as const
const nullable = <T extends Parameters<typeof Type.Union>[0][number]>(type: T) => Type.Union([type, Type.Null()])
const Text = Type.String({ minLength: 1 })

const machineSchema = Type.Object(
  {
    /** Of the processor. */
    model: Text,
    cores: Type.Integer({ minimum: 1 }),
    memoryBytes: Type.Integer({ minimum: 1 }),
    kernel: Text,
    bun: Text,
    /** Day of the run. */
    date: Type.String({ pattern: String.raw`^\d{4}-\d\d-\d\d$` }),
  },
  closed,
)

const judgedSchema = Type.Object({ median: Type.Number(), min: Type.Number(), max: Type.Number(), unit: Text }, closed)

const goalSchema = Type.Object(
  {
    kind: Type.Union([Type.Literal('at least'), Type.Literal('at most')]),
    bound: Type.Number(),
    unit: Text,
  },
  closed,
)

const resultSchema = Type.Object(
  {
    chapter: Text,
    /** No other result of the chapter has it. */
    name: Text,
    operation: Text,
    /** Leaves, children, subscribers: what the tables of the chapter count. */
    size: nullable(Type.Number()),
    /** The middle of all rounds. */
    value: Type.Number(),
    unit: Text,
    /** What the value is held against; `null` where there is nothing. */
    limit: nullable(Type.Number()),
    limitUnit: nullable(Text),
    limitTitle: nullable(Text),
    /** Why there is no limit. */
    missing: nullable(Text),
    /** The middle of all rounds, where a ratio is judged. */
    ratio: nullable(Type.Number()),
    /** What the goal is about; a ratio has the unit `x`. */
    judged: nullable(judgedSchema),
    goal: nullable(goalSchema),
    /** Whether the goal is met; `null` where there is none, or nothing to judge. */
    ok: nullable(Type.Boolean()),
    /** Where README.md says why the goal is missed. */
    explained: nullable(Text),
    /** What it was measured on, where that is not the machine of the file. */
    machine: Type.Optional(machineSchema),
  },
  closed,
)

const resultsSchema = Type.Object({ machine: machineSchema, results: Type.Array(resultSchema) }, closed)

export type Machine = Static<typeof machineSchema>
export type Result = Static<typeof resultSchema>
export type Results = Static<typeof resultsSchema>

const compiled = TypeCompiler.Compile(resultsSchema)

/** @throws TypeError that says what is wrong first */
export function checkResults(value: unknown): Results {
  if (compiled.Check(value)) return value
  const first = compiled.Errors(value).First()
  throw new TypeError(`no file of results: ${first?.path ?? ''} ${first?.message ?? ''}`)
}
