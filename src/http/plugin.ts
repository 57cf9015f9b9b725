import { Elysia } from 'elysia'
import { type DocsOptions, docsPlugin } from './docs/docs.ts'
import type { Routes } from './routing/routes.ts'

/** What the plugin is made of. */
export interface TreePluginOptions {
  readonly routes: Routes
  /** Path it lives under, without a slash at the end. */
  readonly prefix: string
  /** Whether to serve the documents too. */
  readonly docs: boolean
  /** Whether the service has `/metrics`. */
  readonly hasMetrics: boolean
  /** Called when the host stops. */
  readonly onStop: () => Promise<void>
}

/**
 * Every path below the prefix as an endpoint of the tree. The routes read the request themselves: bodies are JSON
 * whatever their type, and paths keep their percent escapes. The documents describe them from the same schemas.
 */
export function treePlugin({ routes, prefix, docs, hasMetrics, onStop }: TreePluginOptions): Elysia {
  // The seed makes this instance one of its own: the framework drops the hooks of a plugin it takes for another's copy.
  const tree = new Elysia({ name: 'dhole', seed: crypto.randomUUID(), prefix }).onStop(onStop)
  // The context has the listener too, but defines it anew for every request, and reads rarely ask for it.
  let host: Pick<Elysia, 'server'> | undefined
  tree.onStart((started) => {
    // Any listener tells the same of a request, but what it speaks: of several one that does not encrypt is asked.
    if (host?.server?.protocol !== 'http') host = started
  })
  const answerDocs: DocsOptions['answer'] = (request, make) => routes.document(request, host?.server ?? null, make)
  // The framework awaits a handler whose text is a bare call, even when the answer is at hand; a choice it does not.
  const answer = ({ request }: { request: Request }) =>
    host === undefined ? routes.handle(request, null) : routes.handle(request, host.server)
  if (docs)
    tree.use(docsPlugin({ prefix, hasMetrics, answer: answerDocs, answerTree: (request) => answer({ request }) }))
  return tree.all('/*', answer, {
    parse: 'none',
    detail: { hide: true },
  }) as unknown as Elysia
}
