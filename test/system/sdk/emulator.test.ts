import { runAsEmulator } from './runner/emulator-tests.ts'
import { CURRENT } from './runner/sdk-versions.ts'
import { EMULATOR_RULES } from './scenarios/access.ts'
import { TOGETHER } from './scenarios/together.ts'

runAsEmulator([CURRENT], { ...TOGETHER, ...EMULATOR_RULES })
