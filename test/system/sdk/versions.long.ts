import '../../support/long-lane.ts'
import { runAsEmulator } from './runner/emulator-tests.ts'
import { runScenarios, withScenarioServer } from './runner/scenario-tests.ts'
import { CURRENT, OTHERS } from './runner/sdk-versions.ts'
import { ACCESS, EMULATOR_RULES } from './scenarios/access.ts'
import { DATA } from './scenarios/data.ts'
import { LIVE } from './scenarios/live.ts'
import { CHOICES } from './scenarios/queries.ts'
import { MANY_LISTENS, TOGETHER } from './scenarios/together.ts'

const server = withScenarioServer()
const ALL = { ...DATA, ...LIVE, ...CHOICES, ...TOGETHER, ...MANY_LISTENS, ...ACCESS }

runScenarios(() => [server], CURRENT, 'bun', ALL)
for (const version of OTHERS) runScenarios(() => [server], version, 'node', ALL)

const EMULATED = new Set(['firebase 12.19, compat', 'firebase 9.23', 'firebase 8.10', 'firebase-admin 14.5'])
runAsEmulator(
  OTHERS.filter(({ name }) => EMULATED.has(name)),
  { ...DATA, ...LIVE, ...CHOICES, ...TOGETHER, ...EMULATOR_RULES },
)
