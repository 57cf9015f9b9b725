import { DholeError } from '../../error.ts'
import type { Exchange } from '../exchange.ts'
import { type BodyOptions, useJson } from '../request/body.ts'
import { exportAnswer } from '../response/export-body.ts'
import { checkMethod, privateReply, privateStream } from './admin-reply.ts'
import type { AdminCaller, OfferedStream, OfferedValue } from './admin-service.ts'
import type { Admission } from './admission.ts'
import { type Admitted, admit } from './credentials.ts'
import { refuseForeignPages } from './foreign-page.ts'
import { cookieWith } from './session-cookie.ts'

/** Path of the operations below the mount point. */
export const OPERATIONS_PATH = '/.admin/operations/'
const STREAM_TYPE = 'application/json; charset=utf-8'

type Offered = OfferedValue | OfferedStream

/**
 * Carries out an operation for a caller that may. The body is read only for a caller with a valid credential.
 * @throws as `admit`, `method-not-allowed`, `admin-unknown`, `admin-refused`, `admin-input`, the errors of bodies, and what
 *   the operation throws
 * @see docs/reference/admin-api.md#operations
 */
export async function answerOperation(exchange: Exchange, admission: Admission): Promise<Response> {
  checkMethod(exchange)
  const { service } = admission
  refuseForeignPages(exchange, service)
  const { caller } = await admit(exchange, admission, true)
  const name = exchange.target.rawPath.slice(OPERATIONS_PATH.length)
  const operation = service.operations.get(name)
  if (operation === undefined) throw new DholeError('admin-unknown', 'There is no such operation')
  checkRole(operation, caller)
  const body: BodyOptions = { maxBytes: operation.maxInputBytes, malformed: 'bad-data', isTrusted: true }
  return await useJson(exchange, body, async (input) => {
    // Again: the session may have ended while the body was awaited.
    const admitted = await admit(exchange, admission, true)
    checkInput(operation, input, admitted.caller)
    exchange.awaitSilently()
    if (operation.changes) service.onChange?.(name, admitted.caller, exchange.address)
    return operation.kind === 'value'
      ? await valueReply(exchange, operation, input, admitted)
      : await streamedReply(exchange, operation, input, admitted)
  })
}

async function valueReply(
  exchange: Exchange,
  operation: OfferedValue,
  input: unknown,
  admitted: Admitted,
): Promise<Response> {
  const result = await operation.run(input, admitted.caller)
  return privateReply(exchange, { result: result ?? null }, renewalOf(admitted))
}

/** Reads the first chunk before the reply begins, so that a failure until then has its own status. */
async function streamedReply(
  exchange: Exchange,
  operation: OfferedStream,
  input: unknown,
  admitted: Admitted,
): Promise<Response> {
  const rest = operation.run(input, admitted.caller)
  const first = await rest.next()
  const failed = (thrown: unknown) => exchange.reportFailure(thrown)
  const begun = { first: first.value ?? '', rest, release: () => {}, failed }
  return privateStream(exportAnswer(begun, exchange), STREAM_TYPE, renewalOf(admitted))
}

function renewalOf({ session }: Admitted): string | undefined {
  return session?.renewed && cookieWith(session.renewed)
}

/** @throws `admin-refused` for an operation of the operator */
function checkRole({ access }: Offered, { role }: AdminCaller): void {
  if (role === 'application' && access === 'operator') {
    throw new DholeError('admin-refused', 'Only the operator may do this')
  }
}

/** @throws `admin-input` unless it is an object, `admin-refused` where it names another application than the caller's */
function checkInput({ access }: Offered, input: unknown, caller: AdminCaller): void {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    throw new DholeError('admin-input', 'The input of an operation is a JSON object')
  }
  if (caller.role === 'operator' || access === 'any') return
  const named: unknown = Object.hasOwn(input, 'id') ? (input as { readonly id: unknown }).id : undefined
  if (named !== caller.application) {
    throw new DholeError('admin-refused', `This session is for the application "${caller.application}" only`)
  }
}
