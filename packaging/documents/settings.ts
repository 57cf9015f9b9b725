import { configSchema, settingSchema } from '../../src/server/config/settings.ts'
import { tableOf } from './page-block.ts'

/** The table of docs/reference/settings.md. */
export function settingsBlock(): string {
  const rows = Object.keys(configSchema.properties).map((name) => {
    const { default: fallback, description } = settingSchema(name)
    return [`\`${name}\``, fallback === undefined ? '' : `\`${fallback}\``, String(description)]
  })
  return `\n${tableOf(['name', 'default', 'meaning'], rows)}\n\n`
}
