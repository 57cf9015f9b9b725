/** Looks for trouble on a thread of its own: looking at files holds up the event loop. */
import type { RawConfig } from '../server/config/config.ts'
import type { CheckResult } from './check-result.ts'
import { examine } from './doctor.ts'

declare const self: Worker

/** One result, or the end of all. */
export type DoctorMessage = { readonly result: CheckResult } | { readonly end: true; readonly error?: string }

self.onmessage = ({ data }: MessageEvent<RawConfig>) => {
  report(data).then(
    () => post({ end: true }),
    (thrown) => post({ end: true, error: thrown instanceof Error ? thrown.message : String(thrown) }),
  )
}

async function report(raw: RawConfig): Promise<void> {
  for await (const result of examine(raw, false)) post({ result })
}

function post(message: DoctorMessage): void {
  self.postMessage(message)
}
