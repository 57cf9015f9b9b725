import { Option } from 'commander'
import { isApplicationId } from '../../applications/application-id.ts'
import { settingSchema } from '../../server/config/settings.ts'

/** Name of the default application of a server that is started here. */
export function defaultId(): string {
  return process.env['APP_ID'] || String(settingSchema('APP_ID').default)
}

/** @throws Error unless the value of `--app` can name an application */
export function checkAppFlag(app: string): void {
  if (!isApplicationId(app)) throw new Error(`--app: ${JSON.stringify(app)} is no name of an application`)
}

/** The flag `--data-dir`. */
export function dataDirOption(description = 'folder of the server'): Option {
  return new Option('--data-dir <folder>', description).env('DATA_DIR').default('./data')
}
