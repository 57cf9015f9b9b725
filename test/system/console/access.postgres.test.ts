import { runOnPostgres } from '../../support/engine.ts'

await runOnPostgres(new URL('./access.test.ts', import.meta.url))
