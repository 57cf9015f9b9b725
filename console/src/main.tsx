import { render } from 'preact'
import { App } from './shell/app.tsx'
import { startRouter } from './shell/router.ts'
import { startTheme } from './shell/theme.ts'

startTheme()
startRouter()
const root = document.getElementById('console')
if (root !== null) render(<App />, root)
