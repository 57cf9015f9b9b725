/** What a run was made on. */
import { cpus } from 'node:os'

export function machine(): string {
  const processors = cpus()
  const date = new Date().toISOString().slice(0, 10)
  return `${processors[0]?.model ?? 'unknown'}, ${processors.length} cores, Bun ${Bun.version}, ${date}`
}
