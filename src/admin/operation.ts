import type { Static, TObject, TSchema } from '@sinclair/typebox'
import { type TypeCheck, TypeCompiler } from '@sinclair/typebox/compiler'
import type { Authenticator } from '../auth/authenticator.ts'
import type { Database } from '../database/database.ts'
import { DholeError } from '../error.ts'
import type { Awaitable } from '../scheduling/awaitable.ts'
import type { Messages } from '../sms/messages.ts'
import type { Administration, ServerProcess } from './administration.ts'
import type { BackupsPort } from './ports/backups.ts'
import type { ConnectionsPort, MonitorPort, StreamsPort } from './ports/monitor.ts'
import type { ServerPorts } from './ports/server.ts'

/** What admin operations work on: a running server, or the files of a folder that no server has open. */
export interface AdminTarget {
  readonly administration: Administration
  /** Opens an application and keeps it open until the result is disposed. @throws Error when it does not exist */
  open(id: string): Promise<AdministeredApplication>
  /** Reads the certificate again. @returns the outcome, as text for the operator */
  reload(): Promise<string>
  process(): ServerProcess
  /** What only a running server has; `undefined` without one. */
  readonly server?: ServerPorts | undefined
  readonly monitor?: MonitorPort | undefined
  readonly streams?: StreamsPort | undefined
  readonly connections?: ConnectionsPort | undefined
  readonly backups?: BackupsPort | undefined
}

/** An open application, as admin operations see it. */
export interface AdministeredApplication extends Disposable {
  readonly database: Database
  readonly messages: Messages
  /** Makes and checks tokens; `undefined` without a server. */
  readonly authenticator?: Authenticator | undefined
}

/** Who asks for an operation: the operator, or who holds the super secret of an application. */
export type AdminCaller = { readonly role: 'operator' } | { readonly role: 'application'; readonly application: string }

const OPERATOR: AdminCaller = { role: 'operator' }

/**
 * Who may call an operation over HTTPS. `operator`: only the operator. `application`: also who holds the super secret of
 * the application that the member `id` of the input names. `any`: also every holder of the super secret of an application;
 * the handler looks at the caller. `local`: no caller; only commands on this machine can, through the control socket.
 */
type OperationAccess = 'operator' | 'application' | 'any' | 'local'

/** Longest input of an operation over HTTPS, in bytes, unless the operation has its own. */
const MAX_INPUT_BYTES = 64 * 1024

/** What is known of every operation. */
interface OperationFacts<Input extends TObject> {
  readonly access: OperationAccess
  /** One line for the reference. */
  readonly summary: string
  readonly input: Input
  /** Longest input over HTTPS, in bytes. */
  readonly maxInputBytes: number
  /** Whether it changes something, so that the log names who asked over HTTPS. */
  readonly changes: boolean
}

/** An operation that returns one JSON value. */
export interface ValueOperation<Input extends TObject = TObject, Result extends TSchema = TSchema>
  extends OperationFacts<Input> {
  readonly kind: 'value'
  readonly result: Result
  /** Checks the input and carries out the operation. @param caller default: the operator */
  run(target: AdminTarget, input: unknown, caller?: AdminCaller): Awaitable<unknown>
}

/** An operation that returns text of any length. */
export interface StreamOperation<Input extends TObject = TObject> extends OperationFacts<Input> {
  readonly kind: 'stream'
  /** Checks the input and returns the text in chunks. @param caller default: the operator */
  run(target: AdminTarget, input: unknown, caller?: AdminCaller): AsyncGenerator<string, void>
}

/** The definition of an operation. */
interface Definition<Input extends TObject> extends Omit<OperationFacts<Input>, 'maxInputBytes' | 'changes'> {
  /** Default 64 KiB. */
  readonly maxInputBytes?: number
  /** Default false. */
  readonly changes?: boolean
}

type ValueDefinition<Input extends TObject, Result extends TSchema> = Definition<Input> & { readonly result: Result }

/** Defines an operation that returns one JSON value. */
export function valueOperation<Input extends TObject, Result extends TSchema>(
  { maxInputBytes = MAX_INPUT_BYTES, changes = false, ...facts }: ValueDefinition<Input, Result>,
  handle: (target: AdminTarget, input: Static<Input>, caller: AdminCaller) => Awaitable<Static<Result>>,
): ValueOperation<Input, Result> {
  const checked = checker(facts.input)
  const run: ValueOperation['run'] = (target, given, caller = OPERATOR) => handle(target, checked(given), caller)
  return { kind: 'value', maxInputBytes, changes, ...facts, run }
}

/** Defines an operation on one application, which stays open until the result is there. */
export function onApplication<Input extends TObject & { static: { id: string } }, Result extends TSchema>(
  definition: ValueDefinition<Input, Result>,
  handle: (
    application: AdministeredApplication,
    input: Static<Input>,
    caller: AdminCaller,
  ) => Awaitable<Static<Result>>,
): ValueOperation<Input, Result> {
  return valueOperation(definition, async (target, given, caller) => {
    using application = await target.open(given.id)
    return await handle(application, given, caller)
  })
}

/** Defines an operation that returns text of any length. */
export function streamOperation<Input extends TObject>(
  { maxInputBytes = MAX_INPUT_BYTES, changes = false, ...facts }: Definition<Input>,
  handle: (target: AdminTarget, input: Static<Input>, caller: AdminCaller) => AsyncGenerator<string, void>,
): StreamOperation<Input> {
  const checked = checker(facts.input)
  const run: StreamOperation['run'] = (target, given, caller = OPERATOR) => handle(target, checked(given), caller)
  return { kind: 'stream', maxInputBytes, changes, ...facts, run }
}

/** What only a running server has. @throws `admin-state` without one */
export function ofServer<Port>(port: Port | undefined): Port {
  if (port === undefined) throw new DholeError('admin-state', 'only a server of its own, dhole serve, offers this')
  return port
}

/** Compiles the schema at the first use: most processes use few operations. @throws `admin-input` */
function checker<Input extends TObject>(schema: Input): (given: unknown) => Static<Input> {
  let compiled: TypeCheck<Input> | undefined
  return (given) => {
    compiled ??= TypeCompiler.Compile(schema)
    if (compiled.Check(given)) return given
    const problem = compiled.Errors(given).First()
    throw new DholeError('admin-input', `bad input: ${problem?.path || '/'}: ${problem?.message}`)
  }
}
