import { settingSchema } from '../../server/config/config.ts'

/** Name of the default application of a server that is started from here. */
export function defaultId(): string {
  return process.env['APP_ID'] || String(settingSchema('APP_ID').default)
}
