import { runScenarios, withScenarioServer } from './runner/scenario-tests.ts'
import { CURRENT } from './runner/sdk-versions.ts'
import { ACCESS } from './scenarios/access.ts'
import { DATA } from './scenarios/data.ts'
import { LIVE } from './scenarios/live.ts'
import { CHOICES } from './scenarios/queries.ts'
import { TOGETHER } from './scenarios/together.ts'

const server = withScenarioServer()

runScenarios(() => [server], CURRENT, 'node', { ...DATA, ...LIVE, ...CHOICES, ...TOGETHER, ...ACCESS })
