/** `bun run fuzz --requests 100000 [--seed S]`: everything thrown at a server; ends with 1 when it is not well. */
import { parseArgs } from 'node:util'
import { fuzz } from './fuzz.ts'
import { startService } from './service.ts'

const TOLD = 5000

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '100000' },
    seed: { type: 'string', default: process.env['FUZZ_SEED'] ?? String(Date.now() % 2_000_000_000) },
  },
})
const requests = Number(values.requests)
const seed = Number(values.seed)
if (!Number.isInteger(requests) || requests < 1 || !Number.isInteger(seed)) {
  process.stderr.write('fuzz: --requests is a whole number above 0, --seed a whole number\n')
  process.exit(2)
}

const print = (text: string) => process.stdout.write(`${text}\n`)
print(`seed ${seed}, ${requests} requests`)
const service = await startService()
let told = 0
let status = 0
try {
  const result = await fuzz(service, {
    seed,
    requests,
    onProgress: (done) => {
      if (done - told < TOLD) return
      told = done
      print(`${done} requests`)
    },
  })
  print(`${result.requests} requests, nothing wrong`)
  for (const [name, count] of [...result.statuses].toSorted()) print(`  ${name}: ${count}`)
} catch (error) {
  print(String(error))
  print(`again: bun run fuzz --requests ${requests} --seed ${seed}`)
  status = 1
} finally {
  await service.dispose()
}
process.exit(status)
