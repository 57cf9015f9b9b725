import { runOnPostgres } from '../../support/engine.ts'

await runOnPostgres(new URL('./protocol.test.ts', import.meta.url))
