import { Elysia } from 'elysia'
import { shippedFile } from '../../files/shipped-file.ts'
import type { Awaitable } from '../../scheduling/awaitable.ts'
import { prefersPage } from '../request/accept.ts'
import { withLength, withText } from '../request/body-size.ts'
import { jsonReply } from '../response/reply.ts'
import { splitTarget } from '../url/target.ts'
import { swaggerUiFile, swaggerUiVersion } from './swagger-ui.ts'

/** What the documents need to be served. */
export interface DocsOptions {
  /** Path the service lives under, without a slash at the end. */
  readonly prefix: string
  /** Whether `/metrics` is there. */
  readonly hasMetrics: boolean
  /** Has a document made for a request that may see it: the same requests that may see data. */
  readonly answer: (request: Request, make: () => Awaitable<Response>) => Awaitable<Response>
  /** Answers a request to the mount point that wants no page. */
  readonly answerTree: (request: Request) => Awaitable<Response>
}

/** The mount point, with and without its slash: a page of links for browsers. */
const ROOTS = ['', '/']
const PAGE = '/swagger'
/** The one chapter of the page that is open. */
const TREE_TAG = 'Tree'
const SPECIFICATION = '/swagger/json'
const START = '/swagger/start.js'
const LIVE = '/docs/live'

/** The live page: it names its own files relative to itself, so that it need not know the prefix. */
const LIVE_FILES: Readonly<Record<string, readonly [file: string, type: string]>> = {
  [LIVE]: ['page.html', 'text/html; charset=utf-8'],
  [`${LIVE}.js`]: ['script.js', 'text/javascript; charset=utf-8'],
  [`${LIVE}.css`]: ['style.css', 'text/css; charset=utf-8'],
}

/** Files of Swagger UI; their names change with the version, so that caches never need to ask. */
const ASSETS: Readonly<Record<string, readonly [file: string, type: string]>> = {
  [`${PAGE}/swagger-ui-bundle.js`]: ['swagger-ui-bundle.js', 'text/javascript; charset=utf-8'],
  [`${PAGE}/swagger-ui.css`]: ['swagger-ui.css', 'text/css; charset=utf-8'],
  [`${PAGE}/favicon-32x32.png`]: ['favicon-32x32.png', 'image/png'],
}

const PATHS = new Set([...ROOTS, PAGE, SPECIFICATION, START, ...Object.keys(ASSETS), ...Object.keys(LIVE_FILES)])

/** Whether a path below the mount point is that of a document. */
export function isDocument(rawPath: string): boolean {
  return PATHS.has(rawPath)
}

const COMMON = { 'X-Content-Type-Options': 'nosniff' }
const FRESH = { ...COMMON, 'Cache-Control': 'no-cache' }
const FOREVER = { ...COMMON, 'Cache-Control': 'public, max-age=31536000, immutable' }

/** The browser itself keeps a page from asking anybody but us. */
function policy(styles: string, images: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src ${styles}`,
    `img-src ${images}`,
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

/**
 * The documents: a page of links at the mount point, for browsers alone; a page at `/swagger`, its files below, and the OpenAPI document at `/swagger/json`; and a page at
 * `/docs/live` that listens to a node, with its files beside it. Nothing else is taken from the tree. The pages are our
 * own because the plugin's loads its script from a foreign host.
 */
export function docsPlugin({ prefix, hasMetrics, answer, answerTree }: DocsOptions): Elysia {
  const specification = specificationOnce(prefix, hasMetrics)
  const links = linksHtml(prefix)
  const page = pageHtml(prefix)
  const start = startScript(prefix)
  const docs = new Elysia()
  const serve = (path: string, make: () => Awaitable<Response>, accepts = (_: Request) => true) =>
    docs.get(
      path,
      ({ request }) => (names(request, prefix, path) && accepts(request) ? answer(request, make) : answerTree(request)),
      { detail: { hide: true } },
    )
  serve(
    '/',
    () => textReply(links, linksHeaders),
    (request) => prefersPage(request.headers.get('accept')),
  )
  serve(PAGE, () => textReply(page, pageHeaders))
  serve(SPECIFICATION, async () => jsonReply(await specification()))
  serve(START, () => textReply(start, scriptHeaders))
  for (const [path, [name, type]] of Object.entries(ASSETS)) {
    const file = Bun.file(swaggerUiFile(name))
    serve(path, () => fileReply(file, { ...FOREVER, 'Content-Type': type }))
  }
  for (const [path, [name, type]] of Object.entries(LIVE_FILES)) {
    const file = Bun.file(shippedFile(`src/http/docs/live/${name}`))
    serve(path, () => fileReply(file, { ...FRESH, ...liveSafety, 'Content-Type': type }))
  }
  return docs as unknown as Elysia
}

/** Whether a request is for this path: without a usable Host header the framework finds the path in the wrong place. */
function names(request: Request, prefix: string, path: string): boolean {
  try {
    const { rawPath } = splitTarget(request.url, prefix)
    return rawPath === path || `${rawPath}/` === path || rawPath === `${path}/`
  } catch {
    return false
  }
}

function textReply(text: string, headers: Readonly<Record<string, string>>): Response {
  return withText(new Response(text, { headers }), text)
}

function fileReply(file: Blob, headers: Readonly<Record<string, string>>): Response {
  return withLength(new Response(file, { headers }), file.size)
}

const pageHeaders = {
  ...FRESH,
  'Content-Type': 'text/html; charset=utf-8',
  // Swagger UI sets styles and draws inline images.
  'Content-Security-Policy': policy("'self' 'unsafe-inline'", "'self' data:"),
  'Referrer-Policy': 'no-referrer',
}
const liveSafety = { 'Content-Security-Policy': policy("'self'", "'self'"), 'Referrer-Policy': 'no-referrer' }
const linksHeaders = { ...FRESH, ...liveSafety, 'Content-Type': 'text/html; charset=utf-8', Vary: 'Accept' }
const scriptHeaders = { ...FRESH, 'Content-Type': 'text/javascript; charset=utf-8' }

/** The document, made once. What it is made of is read when somebody asks for it, not at every start. */
function specificationOnce(prefix: string, hasMetrics: boolean): () => Promise<string> {
  let text: Promise<string> | undefined
  return () => {
    text ??= import('./specification.ts').then(({ specificationText }) => specificationText(prefix, hasMetrics))
    return text
  }
}

/** What a browser is shown at the mount point. */
function linksHtml(prefix: string): string {
  const at = (path: string) => Bun.escapeHTML(encodeURI(prefix + path))
  const item = (path: string, name: string, meaning: string) => `<li><a href="${at(path)}">${name}</a>: ${meaning}</li>`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Dhole</title>
<link rel="icon" href="${at('/swagger/favicon-32x32.png')}">
<link rel="stylesheet" href="${at(`${LIVE}.css`)}">
</head>
<body>
<h1>Dhole</h1>
<p>A realtime JSON tree. Every node is an endpoint: its path, then <code>.json</code>.</p>
<ul>
${item(PAGE, 'Documents', 'every endpoint, parameter and error, to try out')}
${item(SPECIFICATION, 'OpenAPI document', 'the same for programs')}
${item(LIVE, 'Live page', 'any node as it changes')}
${item('/.json?shallow=true&print=pretty', 'Keys of the root', 'what is in the tree')}
${item('/health', 'Health', 'whether the server runs')}
${item('/ready', 'Readiness', 'whether it can read and write')}
</ul>
</body>
</html>
`
}

function pageHtml(prefix: string): string {
  const at = (path: string) => Bun.escapeHTML(encodeURI(prefix + path))
  const version = swaggerUiVersion()
  const asset = (name: string) => at(`/swagger/${name}?v=${version}`)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Dhole</title>
<link rel="icon" href="${asset('favicon-32x32.png')}">
<link rel="stylesheet" href="${asset('swagger-ui.css')}">
</head>
<body>
<p>&nbsp;<a href="${at(LIVE)}">Any node as it changes</a></p>
<div id="swagger-ui"></div>
<script src="${asset('swagger-ui-bundle.js')}"></script>
<script src="${at(START)}"></script>
</body>
</html>
`
}

/**
 * Swagger UI shows each request as it was sent. Credentials are covered before it stores one to be shown; what is sent
 * is another object by then.
 */
const DISCREET = `const cover = (url) => url.replace(/([?&](?:auth|access_token)=)[^&#]*/g, '$1…')

const covered = (request) => {
  const shown = { ...request, url: cover(request.url), headers: { ...request.headers } }
  for (const name of Object.keys(shown.headers)) {
    if (name.toLowerCase() === 'authorization') shown.headers[name] = 'Bearer …'
  }
  return shown
}

const discreet = {
  statePlugins: {
    spec: {
      wrapActions: {
        setRequest: (original) => (path, method, request) => original(path, method, covered(request)),
        setMutatedRequest: (original) => (path, method, request) => original(path, method, covered(request)),
        setResponse: (original) => (path, method, response) =>
          original(path, method, response.url ? { ...response, url: cover(response.url) } : response),
      },
    },
  },
}
`

/** HEAD and OPTIONS are in the document, but not in the list of the page: they say nothing that the others do not. */
const BRIEF = `const isListed = (operation) => operation.get('method') !== 'head' && operation.get('method') !== 'options'

const brief = {
  statePlugins: {
    spec: {
      wrapSelectors: {
        taggedOperations:
          (original) =>
          (_, ...args) =>
            original(...args).map((tag) => tag.update('operations', (operations) => operations.filter(isListed))),
      },
    },
  },
}
`

/**
 * Without a validator, which would be a foreign host. Slashes in the parameter `path` are sent and shown bare: OpenAPI
 * has no way to say that they should be left alone.
 */
function startScript(prefix: string): string {
  return `${DISCREET}
${BRIEF}
const ui = SwaggerUIBundle({
  dom_id: '#swagger-ui',
  url: ${JSON.stringify(encodeURI(prefix + SPECIFICATION))},
  validatorUrl: null,
  deepLinking: true,
  docExpansion: 'none',
  onComplete: () => ui.layoutActions.show(['operations-tag', ${JSON.stringify(TREE_TAG)}], true),
  plugins: [discreet, brief],
  requestInterceptor: (request) => {
    const [path, ...query] = request.url.split('?')
    request.url = [path.replaceAll('%2F', '/'), ...query].join('?')
    return request
  },
})
`
}
