import type { Finding } from '../admin/ports/findings.ts'
import { shippedWorker } from '../files/shipped-file.ts'
import type { RawConfig } from '../server/config/config.ts'
import type { CheckResult } from './check-result.ts'
import type { DoctorMessage } from './doctor-worker.ts'

/** Longest look that is waited for: large trees take longer, and `dhole doctor` has no limit. */
const LIMIT_MS = 30_000
/** Time for which the findings of a look are answered again: it takes a processor for as long as it lasts. */
const KEPT_MS = 60_000

const LEVELS = { ok: 'ok', warning: 'warn', problem: 'problem' } as const

/** A look whose thread may still be at work. */
interface Look {
  readonly findings: Promise<readonly Finding[]>
  /** Resolves when the thread has ended: a check of a large file cannot be interrupted. */
  readonly ended: Promise<void>
}

/**
 * What `dhole doctor` finds, looked for on another thread. Calls at the same time, and soon after, share one look; there is
 * one thread at most.
 * @param raw settings of the server
 */
export function doctorBeside(raw: RawConfig): () => Promise<readonly Finding[]> {
  let last: Look | undefined
  return () => {
    if (last === undefined) {
      const begun = look(raw)
      last = begun
      const forget = () => {
        last = undefined
      }
      void Promise.all([begun.findings, begun.ended]).then(() => setTimeout(forget, KEPT_MS).unref())
    }
    return last.findings
  }
}

function look(raw: RawConfig): Look {
  const worker = new Worker(shippedWorker('src/doctor/doctor-worker.ts'))
  const found: Finding[] = []
  const findings = Promise.withResolvers<readonly Finding[]>()
  const ended = Promise.withResolvers<void>()
  const end = (detail?: string) => {
    clearTimeout(timer)
    if (detail !== undefined) found.push({ level: 'warn', title: 'doctor', detail, fix: 'run `dhole doctor`' })
    findings.resolve([...found])
    worker.terminate()
  }
  const timer = setTimeout(() => end(`it was not done after ${LIMIT_MS / 1000} seconds`), LIMIT_MS)
  worker.onmessage = ({ data }: MessageEvent<DoctorMessage>) => {
    if ('end' in data) end(data.error)
    else found.push(findingOf(data.result))
  }
  worker.onerror = ({ message }) => end(message)
  worker.addEventListener('close', () => ended.resolve())
  worker.postMessage(raw)
  return { findings: findings.promise, ended: ended.promise }
}

function findingOf({ check, state, found, advice }: CheckResult): Finding {
  return { level: LEVELS[state], title: check, detail: found, ...(advice === undefined ? {} : { fix: advice }) }
}
