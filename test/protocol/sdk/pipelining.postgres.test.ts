import { runOnPostgres } from '../../support/engine.ts'

await runOnPostgres(new URL('./pipelining.test.ts', import.meta.url))
