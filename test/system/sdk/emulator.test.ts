import { runAsEmulator } from './runner/emulator-tests.ts'
import { CURRENT } from './runner/sdk-versions.ts'
import { TOGETHER } from './scenarios/together.ts'

runAsEmulator([CURRENT], TOGETHER)
