/** What a run was made on. */
import { cpus, release, totalmem } from 'node:os'
import type { Machine } from './result-schema.ts'

export function thisMachine(): Machine {
  const processors = cpus()
  return {
    model: processors[0]?.model ?? 'unknown',
    cores: processors.length,
    memoryBytes: totalmem(),
    kernel: release(),
    bun: Bun.version,
    date: new Date().toISOString().slice(0, 10),
  }
}
