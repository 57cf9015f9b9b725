import type { ResultOf } from '../../../src/admin/operations.ts'
import { call } from '../shell/call.ts'
import type { Case } from './cases.ts'

export type Ruling = ResultOf<'rules-explain'>

/**
 * What rules decide about a request on the tree as it is; nothing is written.
 * @param source the rules; `undefined` for those in force
 * @throws CallError for a request or rules that are wrong
 */
export function explain(
  application: string,
  source: string | undefined,
  { operation, path, auth, data, query }: Omit<Case, 'expect'>,
): Promise<Ruling> {
  return call('rules-explain', {
    id: application,
    operation,
    path,
    auth,
    ...(source === undefined ? {} : { source }),
    ...(data === undefined ? {} : { data }),
    ...(query === undefined ? {} : { parameters: query }),
  })
}
