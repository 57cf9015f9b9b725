import '../../support/long-lane.ts'
import { runOnPostgres } from '../../support/engine.ts'

await runOnPostgres(new URL('./settings.test.ts', import.meta.url))
