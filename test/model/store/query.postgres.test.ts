import { runOnPostgres } from '../../support/engine.ts'

await runOnPostgres(new URL('./query.test.ts', import.meta.url))
