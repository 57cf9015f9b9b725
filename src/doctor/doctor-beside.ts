import type { Finding } from '../admin/findings.ts'
import { shippedWorker } from '../files/shipped-file.ts'
import type { RawConfig } from '../server/config/config.ts'
import type { CheckResult } from './check-result.ts'
import type { DoctorMessage } from './doctor-worker.ts'

/** Longest look: large trees take longer, and `dhole doctor` has no limit. */
const LIMIT_MS = 30_000
/** Time for which the findings of a look are answered again: it costs the time of a processor. */
const KEPT_MS = 10_000

const LEVELS = { ok: 'ok', warning: 'warn', problem: 'problem' } as const

/**
 * What `dhole doctor` finds, looked for on another thread. Calls at the same time, and soon after, share one look.
 * @param raw settings of the server
 */
export function doctorBeside(raw: RawConfig): () => Promise<readonly Finding[]> {
  let looking: Promise<readonly Finding[]> | undefined
  return () => {
    if (looking === undefined) {
      const begun = look(raw)
      looking = begun
      const forget = () => {
        looking = undefined
      }
      begun.then(() => setTimeout(forget, KEPT_MS).unref(), forget)
    }
    return looking
  }
}

async function look(raw: RawConfig): Promise<readonly Finding[]> {
  const worker = new Worker(shippedWorker('src/doctor/doctor-worker.ts'))
  const findings: Finding[] = []
  const ended = Promise.withResolvers<void>()
  const end = (detail?: string) => {
    if (detail !== undefined) findings.push({ level: 'warn', title: 'doctor', detail, fix: 'run `dhole doctor`' })
    ended.resolve()
  }
  const timer = setTimeout(() => end(`it was not done after ${LIMIT_MS / 1000} seconds`), LIMIT_MS)
  worker.onmessage = ({ data }: MessageEvent<DoctorMessage>) => {
    if ('end' in data) end(data.error)
    else findings.push(findingOf(data.result))
  }
  worker.onerror = ({ message }) => end(message)
  worker.postMessage(raw)
  await ended.promise
  clearTimeout(timer)
  worker.terminate()
  return findings
}

function findingOf({ check, state, found, advice }: CheckResult): Finding {
  return { level: LEVELS[state], title: check, detail: found, ...(advice === undefined ? {} : { fix: advice }) }
}
