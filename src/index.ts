import type { Elysia } from 'elysia'
import { mount, openApplications } from './dhole.ts'
import { checkDholeOptions, type DholeOptions } from './options.ts'
import { pluginConsole, pluginWatch } from './plugin-console.ts'

export { DholeError, type ErrorBody, type ErrorCode } from './error.ts'
export type { Observer } from './observer.ts'
export type {
  ApplicationOptions,
  DatabaseServer,
  DholeOptions,
  LimitOptions,
  MessagesOptions,
  StorageOptions,
} from './options.ts'

/**
 * The tree service as an Elysia plugin. The host must serve HTTPS, or stand behind a proxy named in `trustProxy`:
 * plain HTTP never reaches data. When a listening host stops, the files are closed; the framework does not wait for
 * that, so another process may find them in use for a moment longer.
 * @throws TypeError for wrong options, Error when a file is in use or damaged
 * @example new Elysia().use(dhole({ prefix: '/tree', applications: { app: { open: true } } }))
 */
export function dhole(options: DholeOptions = {}): Elysia {
  checkDholeOptions(options)
  const watch = pluginWatch(options)
  const watched = watch === undefined ? options : { ...options, observer: watch.observer }
  const started = openApplications(watched)
  const admin = pluginConsole(options, started, watch)
  return mount(started.applications, watched, { admin, ...watch?.lists }).onStop(() => watch?.close())
}
