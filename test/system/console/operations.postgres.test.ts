import { runOnPostgres } from '../../support/engine.ts'

await runOnPostgres(new URL('./operations.test.ts', import.meta.url))
