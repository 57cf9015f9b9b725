import type { ReportedCheck } from '../admin/ports/reported-check.ts'
import { shippedWorker } from '../files/shipped-file.ts'
import type { RawConfig } from '../server/config/config.ts'
import type { CheckResult } from './check-result.ts'
import type { DoctorMessage } from './doctor-worker.ts'

/** Longest look that is waited for: large trees take longer, and `dhole doctor` has no limit. */
const LIMIT_MS = 30_000
/** Time for which the results of a look are answered again: it takes a processor for as long as it lasts. */
const KEPT_MS = 60_000

const LEVELS = { ok: 'ok', warning: 'warn', problem: 'problem' } as const

/** A look whose thread may still be at work. */
interface Look {
  readonly checks: Promise<readonly ReportedCheck[]>
  /** Resolves when the thread has ended: a check of a large file cannot be interrupted. */
  readonly ended: Promise<void>
}

/**
 * What `dhole doctor` finds, looked for on another thread. Calls at the same time, and soon after, share one look; there is
 * one thread at most.
 * @param raw settings of the server
 */
export function doctorBeside(raw: RawConfig): () => Promise<readonly ReportedCheck[]> {
  let last: Look | undefined
  return () => {
    if (last === undefined) {
      const begun = look(raw)
      last = begun
      const forget = () => {
        last = undefined
      }
      void Promise.all([begun.checks, begun.ended]).then(() => setTimeout(forget, KEPT_MS).unref())
    }
    return last.checks
  }
}

function look(raw: RawConfig): Look {
  const worker = new Worker(shippedWorker('src/doctor/doctor-worker.ts'))
  const found: ReportedCheck[] = []
  const checks = Promise.withResolvers<readonly ReportedCheck[]>()
  const ended = Promise.withResolvers<void>()
  const end = (detail?: string) => {
    clearTimeout(timer)
    if (detail !== undefined) found.push({ level: 'warn', title: 'doctor', detail, fix: 'run `dhole doctor`' })
    checks.resolve([...found])
    worker.terminate()
  }
  const timer = setTimeout(() => end(`it was not done after ${LIMIT_MS / 1000} seconds`), LIMIT_MS)
  worker.onmessage = ({ data }: MessageEvent<DoctorMessage>) => {
    if ('end' in data) end(data.error)
    else found.push(reportOf(data.result))
  }
  worker.onerror = ({ message }) => end(message)
  worker.addEventListener('close', () => ended.resolve())
  worker.postMessage(raw)
  return { checks: checks.promise, ended: ended.promise }
}

function reportOf({ check, state, found, advice }: CheckResult): ReportedCheck {
  return { level: LEVELS[state], title: check, detail: found, ...(advice === undefined ? {} : { fix: advice }) }
}
