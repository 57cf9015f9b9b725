import { runOnPostgres } from '../../support/engine.ts'

await runOnPostgres(new URL('./transaction.test.ts', import.meta.url))
