import '../../support/long-lane.ts'
import { runOnPostgres } from '../../support/engine.ts'

await runOnPostgres(new URL('./rules-history.test.ts', import.meta.url))
