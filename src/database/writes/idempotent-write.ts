import { DholeError } from '../../error.ts'
import type { CommitContext, JobOutcome } from '../../store/store.ts'
import type { JobReads } from '../../tree/read-program.ts'
import type { IdempotentRequest } from './idempotency-key.ts'
import type { StoredOutcome, WriteOperation } from './write-operation.ts'

/**
 * Runs a job unless the same request was done before; then it returns the result of that one and writes nothing.
 * @throws `key-reused` if another request of the caller had the key
 */
export function* onlyOnce<T>(
  { key, fingerprint }: IdempotentRequest,
  operation: WriteOperation<T>,
  context: CommitContext,
  job: JobReads<JobOutcome<T>>,
): JobReads<JobOutcome<T>> {
  const text = (yield { kind: 'idempotency-record', key }) as string | undefined
  if (text !== undefined) {
    const [of, stored] = JSON.parse(text) as [string, StoredOutcome]
    if (of !== fingerprint) throw new DholeError('key-reused')
    return { result: yield* operation.restore(stored), change: undefined }
  }
  const { result, change } = yield* job
  const stored = yield* operation.outcomeToStore(result, context)
  const record = stored && { key, text: JSON.stringify([fingerprint, stored]) }
  return { result, change, record }
}
