import { runOnPostgres } from '../../support/engine.ts'

await runOnPostgres(new URL('./large-conditions.test.ts', import.meta.url))
