import { type Signal, useSignal } from '@preact/signals'
import { Choice, TextArea, TextField } from '../../parts/fields.tsx'
import { jsonOf, objectOf } from '../../parts/json-text.ts'
import type { Case, Operation } from './cases.ts'

type Who = 'none' | 'user' | 'auth'

/** Fields of a request that rules are tried with. */
export interface RequestFields {
  readonly operation: Signal<Operation>
  readonly path: Signal<string>
  readonly who: Signal<Who>
  readonly uid: Signal<string>
  readonly claims: Signal<string>
  readonly auth: Signal<string>
  readonly data: Signal<string>
  readonly query: Signal<string>
}

const OPERATION_TEXTS: Readonly<Record<Operation, string>> = {
  read: 'read (GET, stream)',
  put: 'put',
  patch: 'patch',
  post: 'post',
  delete: 'delete',
}

const WHO_TEXTS: Readonly<Record<Who, string>> = {
  none: 'no user (auth is null)',
  user: 'a user',
  auth: 'auth written as JSON',
}

/** Operations with a body. */
const WITH_DATA: readonly Operation[] = ['put', 'patch', 'post']

export function useRequestFields(): RequestFields {
  return {
    operation: useSignal<Operation>('read'),
    path: useSignal('/'),
    who: useSignal<Who>('none'),
    uid: useSignal(''),
    claims: useSignal('{}'),
    auth: useSignal('{"uid": "ann"}'),
    data: useSignal('null'),
    query: useSignal(''),
  }
}

/** The request that the fields describe. @throws Error that names the wrong field */
export function requestOf(fields: RequestFields): Omit<Case, 'expect'> {
  const operation = fields.operation.value
  const query = fields.query.value.trim()
  return {
    auth: authOf(fields),
    path: fields.path.value.trim(),
    operation,
    ...(WITH_DATA.includes(operation) ? { data: jsonOf('Data', fields.data.value) } : {}),
    ...(operation === 'read' && query !== ''
      ? { query: objectOf('Query', query) as unknown as NonNullable<Case['query']> }
      : {}),
  }
}

function authOf({ who, uid, claims, auth }: RequestFields): Case['auth'] {
  if (who.value === 'none') return null
  if (who.value === 'auth') return objectOf('auth', auth.value)
  if (uid.value === '') throw new Error('User: a user has a uid')
  return { uid: uid.value, provider: 'custom', token: objectOf('Claims', claims.value) }
}

/** Puts a case into the fields. */
export function fillFields(fields: RequestFields, { auth, path, operation, data, query }: Case): void {
  fields.operation.value = operation
  fields.path.value = path
  fields.who.value = auth === null ? 'none' : 'auth'
  if (auth !== null) fields.auth.value = JSON.stringify(auth)
  if (data !== undefined) fields.data.value = JSON.stringify(data, null, 2)
  fields.query.value = query === undefined ? '' : JSON.stringify(query)
}

/** The form of a request. */
export function RequestForm({ fields }: { readonly fields: RequestFields }) {
  const operation = fields.operation.value
  return (
    <div class="fields">
      <Choice label="Operation" value={fields.operation} choices={OPERATION_TEXTS} />
      <TextField label="Path" value={fields.path} required={true} />
      <Choice label="As" value={fields.who} choices={WHO_TEXTS} />
      {fields.who.value === 'user' && (
        <>
          <TextField label="User (uid)" value={fields.uid} />
          <TextField label="Claims (JSON)" value={fields.claims} hint="auth.token of the rules" />
        </>
      )}
      {fields.who.value === 'auth' && <TextField label="auth (JSON)" value={fields.auth} />}
      {WITH_DATA.includes(operation) && <TextArea label="Data (JSON)" value={fields.data} />}
      {operation === 'read' && (
        <TextField
          label="Query (JSON)"
          value={fields.query}
          placeholder='{"orderBy": "$key", "limitToFirst": 10}'
          hint="empty for a plain read"
        />
      )}
    </div>
  )
}
