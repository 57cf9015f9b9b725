import { runOnPostgres } from '../../support/engine.ts'

await runOnPostgres(new URL('./indexes.test.ts', import.meta.url))
