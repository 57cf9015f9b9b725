import type { InputOf } from '../../../../src/admin/operations.ts'

export type Operation = InputOf<'rules-explain'>['operation']

/** A request that rules are tried with, and the decision that is right. The format of `dhole rules test`. */
export interface Case {
  readonly name?: string
  readonly auth: Readonly<Record<string, unknown>> | null
  readonly path: string
  readonly operation: Operation
  readonly data?: unknown
  readonly query?: InputOf<'rules-explain'>['parameters']
  /** A tree of its own before the case, and the time of the request: only `dhole rules test` knows them. */
  readonly given?: unknown
  readonly now?: number
  readonly expect: 'allow' | 'deny'
}

/** A file of cases. */
export interface CaseTable {
  /** The tree before each case; only `dhole rules test` uses it. */
  readonly data?: unknown
  readonly cases: readonly Case[]
}

const OPERATIONS: readonly Operation[] = ['read', 'put', 'patch', 'post', 'delete']

const EMPTY: CaseTable = { cases: [] }

/** Cases that this browser keeps for an application. */
export function keptCases(application: string): CaseTable {
  try {
    const kept = localStorage.getItem(keyOf(application))
    return kept === null ? EMPTY : parseCases(kept)
  } catch {
    return EMPTY
  }
}

/** @throws Error when the browser stores nothing more */
export function keepCases(application: string, table: CaseTable): void {
  try {
    localStorage.setItem(keyOf(application), printCases(table))
  } catch (cause) {
    throw new Error('The browser cannot store the cases: download them.', { cause })
  }
}

function keyOf(application: string): string {
  return `dhole-cases/${location.pathname.split('/console')[0]}/${application}`
}

/** The text of a file for `dhole rules test`. */
export function printCases(table: CaseTable): string {
  return `${JSON.stringify(table, null, 2)}\n`
}

/** Reads a file of `dhole rules test`. @throws Error that names the wrong case */
export function parseCases(text: string): CaseTable {
  const json: unknown = JSON.parse(text)
  if (Array.isArray(json)) return { cases: json.map(checkedCase) }
  if (!isObject(json) || !Array.isArray(json['cases'])) throw new Error('expected {"data": …, "cases": […]}')
  const cases = json['cases'].map(checkedCase)
  return Object.hasOwn(json, 'data') ? { data: json['data'], cases } : { cases }
}

function checkedCase(row: unknown, index: number): Case {
  const isCase =
    isObject(row) &&
    (row['auth'] === null || isObject(row['auth'])) &&
    typeof row['path'] === 'string' &&
    OPERATIONS.some((operation) => operation === row['operation']) &&
    (row['expect'] === 'allow' || row['expect'] === 'deny') &&
    ['string', 'undefined'].includes(typeof row['name'])
  if (!isCase) throw new Error(`case ${index + 1}: expected {"auth": …, "path": …, "operation": …, "expect": …}`)
  return row as unknown as Case
}

function isObject(json: unknown): json is Readonly<Record<string, unknown>> {
  return typeof json === 'object' && json !== null && !Array.isArray(json)
}

/** Such as `put /users/ann as bob`. */
export function caseText({ name, operation, path, auth }: Case): string {
  if (name !== undefined) return name
  const uid = auth === null ? 'no user' : auth['uid']
  return `${operation} ${path} as ${typeof uid === 'string' ? uid : JSON.stringify(auth)}`
}
