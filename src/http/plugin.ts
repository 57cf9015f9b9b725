import { Elysia } from 'elysia'
import { DOCUMENT_PATHS } from './docs/docs.ts'
import type { Routes } from './routing/routes.ts'

/** What the plugin is made of. */
export interface TreePluginOptions {
  readonly routes: Routes
  /** Path it is mounted under, without a slash at the end. */
  readonly prefix: string
  /** Whether the documents are served. */
  readonly docs: boolean
  /** Called when the host stops. */
  readonly onStop: () => Promise<void>
}

/**
 * Passes every path below the prefix to the routes. They read the request themselves: bodies are JSON whatever their
 * type, and paths keep their percent escapes.
 */
export function treePlugin({ routes, prefix, docs, onStop }: TreePluginOptions): Elysia {
  // The framework drops the hooks of plugins that look like copies of another; the seed makes this one distinct.
  const tree = new Elysia({ name: 'dhole', seed: crypto.randomUUID(), prefix }).onStop(onStop)
  // The context has the listener too, but defines it anew for every request, and reads rarely need it.
  let host: Pick<Elysia, 'server'> | undefined
  tree.onStart((started) => {
    // Listeners only differ in whether they encrypt; with several, one that does not is kept.
    if (host?.server?.protocol !== 'http') host = started
  })
  // The framework awaits a handler whose source is a bare call, even when the reply is synchronous; not a conditional.
  const answer = ({ request }: { request: Request }) =>
    host === undefined ? routes.handle(request, null) : routes.handle(request, host.server)
  const hook = { parse: 'none', detail: { hide: true } } as const
  // Named one by one, the documents are found whatever path the framework reads out of a URL.
  if (docs) for (const path of DOCUMENT_PATHS) if (path !== '') tree.get(path, answer, hook)
  return tree.all('/*', answer, hook) as unknown as Elysia
}
