import type { ApplicationOptions } from '../options.ts'
import type { Awaitable } from '../scheduling/awaitable.ts'
import { SettingsChanged } from './application-keys.ts'

/**
 * Opens an application, and begins again when its settings are others by then.
 * @param find the settings as they are now; `undefined` when there is no such application any more
 * @param settings that were found before
 * @throws what `open` throws
 */
export function openLatest<Opened>(
  find: () => Awaitable<ApplicationOptions | undefined>,
  settings: ApplicationOptions,
  open: (settings: ApplicationOptions) => Awaitable<Opened>,
): Awaitable<Opened> {
  const opened = open(settings)
  if (!(opened instanceof Promise)) return opened
  return opened.catch(async (error) => {
    if (!(error instanceof SettingsChanged)) throw error
    const latest = await find()
    if (latest === undefined) throw error
    return openLatest(find, latest, open)
  })
}
