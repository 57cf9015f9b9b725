/** Everything in the documents that is made from the code. */
import { alertRules, alertsBlock } from '../monitoring/alerts.ts'
import { dashboard } from '../monitoring/dashboard.ts'
import { adminOperationsBlock } from './admin-operations.ts'
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
  { page: 'docs/reference/admin-api.md', name: 'operations', make: adminOperationsBlock },
  { page: 'docs/how-to/monitor.md', name: 'alerts', make: alertsBlock },
]

/** Whole files. */
export const generatedFiles = [
  { file: 'docs/explanation/rooms.svg', make: roomsDrawing },
  { file: 'packaging/monitoring/alerts.yaml', make: alertRules },
  { file: 'packaging/monitoring/dashboard.json', make: dashboard },
]
