import '../../support/long-lane.ts'
import { runOnPostgres } from '../../support/engine.ts'

await runOnPostgres(new URL('./sessions.test.ts', import.meta.url))
