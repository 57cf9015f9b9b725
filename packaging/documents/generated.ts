/** Everything in the documents that is made from the code. */
import { commandLineBlock } from './command-line.ts'
import { errorsBlock } from './errors.ts'
import { metricsBlock } from './metrics.ts'
import { roomsDrawing } from './rooms-drawing.ts'
import { settingsBlock } from './settings.ts'

/** Blocks of pages. */
export const generatedBlocks = [
  { page: 'docs/reference/settings.md', name: 'settings', make: settingsBlock },
  { page: 'docs/reference/command-line.md', name: 'commands', make: commandLineBlock },
  { page: 'docs/reference/errors.md', name: 'errors', make: errorsBlock },
  { page: 'docs/reference/metrics.md', name: 'metrics', make: metricsBlock },
]

/** Whole files. */
export const generatedFiles = [{ file: 'docs/explanation/rooms.svg', make: roomsDrawing }]
