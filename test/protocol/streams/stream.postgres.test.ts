import { runOnPostgres } from '../../support/engine.ts'

await runOnPostgres(new URL('./stream.test.ts', import.meta.url))
