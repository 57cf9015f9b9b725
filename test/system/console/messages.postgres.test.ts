import { runOnPostgres } from '../../support/engine.ts'

await runOnPostgres(new URL('./messages.test.ts', import.meta.url))
