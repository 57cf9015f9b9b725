import type { Static, TObject, TSchema } from '@sinclair/typebox'
import { type TypeCheck, TypeCompiler } from '@sinclair/typebox/compiler'
import type { Database } from '../database/database.ts'
import type { Awaitable } from '../scheduling/awaitable.ts'
import type { Messages } from '../sms/messages.ts'
import type { Administration, ServerProcess } from './administration.ts'

/** What admin operations work on: a running server, or the files of a folder that no server has open. */
export interface AdminTarget {
  readonly administration: Administration
  /** Opens an application and keeps it open until the result is disposed. @throws Error when it does not exist */
  open(id: string): Promise<AdministeredApplication>
  /** Reads the certificate again. @returns the outcome, as text for the operator */
  reload(): Promise<string>
  process(): ServerProcess
}

/** An open application, as admin operations see it. */
export interface AdministeredApplication extends Disposable {
  readonly database: Database
  readonly messages: Messages
}

/** An operation that returns one JSON value. */
export interface ValueOperation<Input extends TObject = TObject, Result extends TSchema = TSchema> {
  readonly kind: 'value'
  readonly input: Input
  readonly result: Result
  /** Checks the input and carries out the operation. */
  run(target: AdminTarget, input: unknown): Awaitable<unknown>
}

/** An operation that returns text of any length. */
export interface StreamOperation<Input extends TObject = TObject> {
  readonly kind: 'stream'
  readonly input: Input
  /** Checks the input and returns the text in chunks. */
  run(target: AdminTarget, input: unknown): AsyncGenerator<string, void>
}

/** Defines an operation that returns one JSON value. */
export function valueOperation<Input extends TObject, Result extends TSchema>(
  input: Input,
  result: Result,
  handle: (target: AdminTarget, input: Static<Input>) => Awaitable<Static<Result>>,
): ValueOperation<Input, Result> {
  const checked = checker(input)
  return { kind: 'value', input, result, run: (target, given) => handle(target, checked(given)) }
}

/** Defines an operation on one application, which stays open until the result is there. */
export function onApplication<Input extends TObject & { static: { id: string } }, Result extends TSchema>(
  input: Input,
  result: Result,
  handle: (application: AdministeredApplication, input: Static<Input>) => Awaitable<Static<Result>>,
): ValueOperation<Input, Result> {
  return valueOperation(input, result, async (target, given) => {
    using application = await target.open(given.id)
    return await handle(application, given)
  })
}

/** Defines an operation that returns text of any length. */
export function streamOperation<Input extends TObject>(
  input: Input,
  handle: (target: AdminTarget, input: Static<Input>) => AsyncGenerator<string, void>,
): StreamOperation<Input> {
  const checked = checker(input)
  return { kind: 'stream', input, run: (target, given) => handle(target, checked(given)) }
}

/** Compiles the schema at the first use: most processes use few operations. */
function checker<Input extends TObject>(schema: Input): (given: unknown) => Static<Input> {
  let compiled: TypeCheck<Input> | undefined
  return (given) => {
    compiled ??= TypeCompiler.Compile(schema)
    if (compiled.Check(given)) return given
    const problem = compiled.Errors(given).First()
    throw new Error(`bad input: ${problem?.path || '/'}: ${problem?.message}`)
  }
}
